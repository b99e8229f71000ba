from __future__ import annotations

import numpy as np
import pytest

from medveil.release.protect.dominance import removed, standings
from medveil.stats.estimate import Estimate


def _estimate(value: float, *, wobble: float = 0.0, chance: float | None = None) -> Estimate:
    """All share the same draws, so differences between two have no noise but their own wobble."""
    shared = np.linspace(-0.05, 0.05, 101)
    own = wobble * np.sin(np.arange(101) * 7)
    return Estimate.from_replicates(value, value + shared + own, n=9999, units=9999, chance=chance)


def test_the_frontier_is_what_nobody_beats_in_both() -> None:
    linkage = [_estimate(v) for v in (0.5, 0.2, 0.3, 0.5, 0.1)]
    utility = [_estimate(v) for v in (0.80, 0.79, 0.78, 0.79, 0.60)]
    found = standings(["start", "good", "worse", "pointless", "drastic"], linkage, utility)
    assert [stand.standing for stand in found] == [
        "on the frontier",
        "on the frontier",
        "clearly dominated",
        "dominated",
        "on the frontier",
    ]
    assert found[2].by == "good"
    assert found[0].by is None


def test_what_might_be_luck_is_not_called_clear() -> None:
    linkage = [_estimate(0.30), _estimate(0.29, wobble=0.05)]
    utility = [_estimate(0.80), _estimate(0.81, wobble=0.05)]
    assert standings(["a", "b"], linkage, utility)[0].standing == "dominated"


def test_equal_points_do_not_dominate_each_other() -> None:
    same = [_estimate(0.3), _estimate(0.3)]
    assert [stand.standing for stand in standings(["a", "b"], same, same)] == ["on the frontier"] * 2


def test_removed_is_the_share_of_the_excess_over_chance() -> None:
    before, after = _estimate(0.16, chance=0.01), _estimate(0.04, chance=0.01)
    found = removed(before, after)
    assert found.value == pytest.approx(0.8)
    # the same draws on both sides: 0.12 less of 0.1 to 0.2
    assert (found.low, found.high) == pytest.approx((0.12 / 0.1975, 1.175), abs=0.01)
    assert removed(before, before).value == 0
    assert removed(after, before).value < 0  # the link became stronger
    nothing = removed(_estimate(0.01, chance=0.01), after)
    assert np.isnan(nothing.value)
