from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of public data sets; tests that need it are skipped where it is absent."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("MEDVEIL_DATA", beside))
    if not folder.is_dir():
        pytest.skip("the public data sets are not here (set MEDVEIL_DATA)")
    return folder
