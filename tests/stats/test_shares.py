from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from medveil.stats.bootstrap import unit_weights
from medveil.stats.shares import exact_interval, share


@given(st.integers(1, 300), st.data())
def test_exact_interval_equals_scipys(n: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, n))
    theirs = binomtest(hits, n).proportion_ci(method="exact")
    assert exact_interval(hits / n, n) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@pytest.mark.parametrize("n", [11, 40, 100])
@pytest.mark.parametrize(("few", "many"), [(0.0, 1.0), (0.0, 0.02), (0.05, 0.2), (0.1, 1.0), (0.5, 0.8), (0.01, 1.0)])
def test_what_succeeds_by_degrees_has_exact_ends_too(n: int, few: float, many: float) -> None:
    """Every number of units of either kind, with its own probability: no share of them is missed too often."""
    ends = {}
    for seen in range(n + 1):
        part = seen / n
        spread = (many - few) * (part * (1 - part)) ** 0.5
        ends[seen] = exact_interval(few + (many - few) * part, n, spread=spread)
    for share_of_many in (0.005, 0.02, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98):
        truth = few + (many - few) * share_of_many
        held = sum(
            float(binom.pmf(seen, n, share_of_many))
            for seen, (low, high) in ends.items()
            if low - 1e-12 <= truth <= high + 1e-12
        )
        assert held >= 0.945, (few, many, share_of_many)


@given(st.integers(2, 300), st.floats(0, 1), st.floats(0, 0.5))
def test_degrees_never_widen_and_never_rule_out_the_unseen(n: int, value: float, spread: float) -> None:
    low, high = exact_interval(value, n, spread=spread)
    widest = exact_interval(value, n)
    assert widest[0] - 1e-9 <= low <= value + 1e-12 and value - 1e-12 <= high <= widest[1] + 1e-9
    unseen = 1 - 0.025 ** (1 / n)  # of people who are all found, where nobody like them is among n
    assert high >= value + (1 - value) * unseen - 1e-9 and low <= value * (1 - unseen) + 1e-9


def test_the_share_of_patients_who_are_half_found_is_known_better_than_that_of_hits_and_misses() -> None:
    weights = unit_weights(40, seed=0)
    halves, hits = np.full(40, 0.5), np.arange(40) % 2.0
    graded, counted = (share(values, np.arange(40), weights) for values in (halves, hits))
    assert graded.high < counted.high and graded.low > counted.low
    assert counted.high >= exact_interval(0.5, 40)[1] - 1e-12


def test_no_success_is_not_certainty() -> None:
    codes = np.repeat(np.arange(30), 4)
    found = share(np.zeros(120), codes, unit_weights(30, seed=0))
    assert found.low == 0
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 30))
    assert share(np.ones(120), codes, unit_weights(30, seed=0)).low < 0.9


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    truth, covered = 0.06, 0
    for trial in range(200):
        codes = np.repeat(np.arange(40), 3)
        hits = (rng.random(40) < truth)[codes].astype(float)  # a patient's tries succeed or fail together
        found = share(hits, codes, unit_weights(40, redraws=200, seed=trial))
        covered += found.low <= truth <= found.high
    assert covered >= 190
