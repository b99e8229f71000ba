from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from medveil.stats.bootstrap import unit_weights
from medveil.stats.shares import exact_interval, share


@given(st.integers(1, 300), st.data())
def test_exact_interval_equals_scipys(n: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, n))
    theirs = binomtest(hits, n).proportion_ci(method="exact")
    assert exact_interval(hits / n, n) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


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
