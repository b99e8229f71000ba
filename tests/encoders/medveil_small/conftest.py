from __future__ import annotations

import pytest

from medveil.encoders.medveil_small.small_encoder import MedveilSmall


@pytest.fixture(scope="session")
def small() -> MedveilSmall:
    return MedveilSmall.load()
