from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medveil.errors import InputError, SettingsError
from medveil.federated.secure_sum.quantising import Grid


@given(st.lists(st.lists(st.floats(-2, 2), min_size=5, max_size=5), min_size=1, max_size=6), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_a_sum_of_whole_numbers_is_the_sum(updates: list[list[float]], seed: int) -> None:
    grid, chance = Grid(2.0, bits=20), np.random.default_rng(seed)
    total = sum((grid.whole(np.array(one), chance) for one in updates), np.zeros(5, np.uint64))
    assert np.allclose(grid.numbers(total), np.sum(updates, 0), atol=len(updates) * grid.step)


def test_rounding_is_right_on_average() -> None:
    grid = Grid(1.0, bits=2)
    told = grid.numbers(grid.whole(np.full(40_000, 0.1), np.random.default_rng(0)))
    assert set(np.unique(told)) == {0.0, 0.25} and abs(told.mean() - 0.1) < 0.005


def test_what_is_beyond_the_limit_is_cut_off() -> None:
    grid = Grid(0.5)
    assert np.array_equal(grid.numbers(grid.whole(np.array([9.0, -9.0]), np.random.default_rng(0))), [0.5, -0.5])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite_never_leave(bad: float) -> None:
    with pytest.raises(InputError, match="not finite"):
        Grid(1.0).whole(np.array([0.0, bad]), np.random.default_rng(0))


@pytest.mark.parametrize(("most", "bits"), [(0.0, 30), (np.inf, 30), (1.0, 43)])
def test_a_grid_that_could_wrap_around_is_refused(most: float, bits: int) -> None:
    with pytest.raises(SettingsError):
        Grid(most, bits)
