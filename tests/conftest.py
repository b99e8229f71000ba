from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest
from hypothesis import settings

from medveil.cohort import Cohort

# time is not tested: machines differ
settings.register_profile("medveil", deadline=None)
settings.load_profile("medveil")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of public data sets; tests that need it are skipped where it is absent."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("MEDVEIL_DATA", beside))
    if not folder.is_dir():
        pytest.skip("the public data sets are not here (set MEDVEIL_DATA)")
    return folder


@pytest.fixture(scope="session")
def hospital_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small phantom hospital, made once for all test processes."""
    from medveil.cohort.phantom.hospital import build_hospital

    shared = tmp_path_factory.getbasetemp().parent
    with (shared / "hospital.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        build_hospital(shared / "hospital", patients=30, size=256, seed=11)
    return shared / "hospital"


@pytest.fixture(scope="session")
def hospital(hospital_folder: Path) -> Cohort:
    return Cohort.open(hospital_folder)
