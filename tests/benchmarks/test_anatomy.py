"""What the benchmarks of hidden anatomy pack, choose and read is what they say."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from medveil.cohort.phantom.plan import plan_patient
from recipes.lungs.phantoms import SITES
from recipes.organs.phantoms import SEED

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def benchmarks() -> Iterator[None]:
    """They stand in their own folder, and so do what they share."""
    sys.path.insert(0, str(FOLDER))
    yield
    sys.path.remove(str(FOLDER))


def test_photographs_come_back_from_the_pack() -> None:
    fundus = importlib.import_module("anatomy_fundus")
    down, across = np.mgrid[:256, :256]
    eyes = [np.stack([down, across, np.full_like(down, 30 * k)], axis=-1).astype(np.uint8) for k in (1, 7)]
    back = fundus.unpacked(*fundus.packed(eyes))
    assert back.shape == (2, 256, 256, 3)
    assert np.abs(back.astype(int) - np.stack(eyes)).mean() < 6


def test_some_levels_reach_from_the_weakest_to_the_strongest() -> None:
    fundus = importlib.import_module("anatomy_fundus")
    assert fundus.spread(5, 2) == [0, 4]
    assert fundus.spread(5, 3) == [0, 2, 4]
    assert fundus.spread(2, 9) == [0, 1]


def test_every_visit_has_a_reading_that_knows_no_earlier_one() -> None:
    drafted = importlib.import_module("drafted_reports")
    for number in range(6):
        readings = drafted.first_readings(number)
        assert len(readings) == len(plan_patient(SEED, number, SITES).visits)
        told = " ".join(readings).lower()
        assert told and "unchanged" not in told and "resolved" not in told
        assert "\n" not in told
