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
    grid, chance = Grid(2.0, len(updates)), np.random.default_rng(seed)
    total = sum((grid.whole(np.array(one), chance) for one in updates), np.zeros(5, np.uint32))
    assert np.allclose(grid.numbers(total), np.sum(updates, 0), atol=len(updates) * grid.step)


def test_rounding_is_right_on_average() -> None:
    grid = Grid(1.0, sites=10)
    told = grid.numbers(grid.whole(np.full(40_000, 0.1 * grid.step), np.random.default_rng(0)))
    assert set(np.unique(told)) == {0.0, grid.step} and abs(told.mean() / grid.step - 0.1) < 0.01


def test_what_is_beyond_the_limit_is_cut_off() -> None:
    grid = Grid(0.5, sites=3)
    assert np.array_equal(grid.numbers(grid.whole(np.array([9.0, -9.0]), np.random.default_rng(0))), [0.5, -0.5])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite_never_leave(bad: float) -> None:
    with pytest.raises(InputError, match="not finite"):
        Grid(1.0, sites=3).whole(np.array([0.0, bad]), np.random.default_rng(0))


@pytest.mark.parametrize("sites", [1, 2, 3, 31, 32, 33, 1000])
@pytest.mark.parametrize("sign", [-1, 1])
def test_the_largest_sum_does_not_wrap_around(sites: int, sign: int) -> None:
    grid, total = Grid(1.0, sites), np.zeros(1, np.uint32)
    for _ in range(sites):
        total += grid.whole(np.array([sign * 9.0]), np.random.default_rng(0))
    assert np.array_equal(grid.numbers(total), [sign * sites])


@pytest.mark.parametrize(("most", "sites"), [(0.0, 3), (np.inf, 3), (1.0, 1001), (1.0, 0)])
def test_a_grid_without_a_limit_or_room_is_refused(most: float, sites: int) -> None:
    with pytest.raises(SettingsError):
        Grid(most, sites)
