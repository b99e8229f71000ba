from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.cohort import Cohort
from medveil.errors import SettingsError
from medveil.release.anatomy.choosing import bits_for, matched


def test_codes_of_their_own_give_everybody_away() -> None:
    patients = np.repeat(np.arange(40), 2)
    found = matched(patients.copy(), 6, patients, seed=1)
    assert found.value == 1.0
    assert found.chance == pytest.approx(1 / 79)


def test_codes_that_say_nothing_do_no_better_than_chance() -> None:
    patients = np.repeat(np.arange(300), 3)
    codes = np.random.default_rng(5).integers(0, 16, 900)
    found = matched(codes, 4, patients, seed=1)
    assert found.low <= (found.chance or 0) <= found.high
    assert found.high < 0.03


def test_a_rare_beginning_counts_more_than_a_common_one() -> None:
    # two people share a rare first bit with themselves alone; all others have the other one
    codes = np.array([2, 2, 0, 0, 1, 1, 0, 1])
    patients = np.array([0, 0, 1, 2, 3, 4, 5, 6])
    assert matched(codes, 2, patients, seed=1).value == 1.0


@given(st.integers(1, 6), st.integers(0, 1000))
def test_fewer_bits_never_tell_more_on_average_than_one_in_as_many(bits: int, seed: int) -> None:
    """An encoder that writes as much of the patient's number as it can stays below 2^b / N."""
    patients = np.arange(64)
    twice = np.concatenate([patients, patients])
    order = np.random.default_rng(seed).permutation(64)
    codes = (order[twice] >> (6 - bits)).astype(np.int64)
    assert matched(codes, bits, twice, seed=0).value <= 2**bits / 64 + 1e-9


def test_chance_is_that_of_the_half_in_which_films_are_sought() -> None:
    patients = np.repeat(np.arange(40), 2)
    found = matched(np.zeros(80, np.int64), 4, patients, (patients % 2).astype(np.int64), seed=1)
    assert found.chance == pytest.approx(1 / 39) == found.value


def test_where_nobody_returns_the_bound_decides(hospital: Cohort) -> None:
    once = hospital.where((~hospital.table["patient_id"].duplicated()).tolist())
    assert bits_for(once, 0.2, None, seed=7) == 2  # 4 of 30 people is below, 8 of 30 is above
    with pytest.raises(SettingsError, match="larger cohort"):
        bits_for(once, 0.05, None, seed=7)
