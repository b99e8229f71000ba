from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, ttest_rel

from medveil.stats.bootstrap import mean_replicates, unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.paired import changes, holm, sign_flips, two_sided


def _estimate(values: np.ndarray, weights: np.ndarray) -> Estimate:
    draws = mean_replicates(values, np.arange(len(values)), weights)
    return Estimate.from_replicates(float(values.mean()), draws, n=len(values), units=len(values))


def _holm_by_definition(p: list[float]) -> list[float]:
    """Reject the smallest at level a/m, the next at a/(m-1), ...: the least level at which each one falls."""
    ranked = sorted(p)
    return [max(min(1.0, (len(p) - k) * q) for k, q in enumerate(ranked) if q <= one) for one in p]


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_is_the_least_level_of_the_step_down_test(p: list[float]) -> None:
    assert np.allclose(holm(np.array(p)), _holm_by_definition(p))


def test_holm_known_answer() -> None:
    assert np.allclose(holm(np.array([0.01, 0.04, 0.03, 0.005])), [0.03, 0.06, 0.06, 0.02])


def test_p_has_a_floor_and_equal_models_have_one() -> None:
    assert two_sided(np.ones(999)) == pytest.approx(0.002)
    assert two_sided(-np.ones(999)) == pytest.approx(0.002)
    assert two_sided(np.zeros(1000)) == 1.0
    assert two_sided(np.full(10, np.nan)) == 1.0


def test_p_agrees_with_the_paired_t_test() -> None:
    rng = np.random.default_rng(0)
    before = rng.normal(size=400)
    after = before + rng.normal(0.05, 0.5, size=400)
    weights = unit_weights(400, redraws=4000, seed=1)
    change = changes({"x": _estimate(before, weights)}, {"x": _estimate(after, weights)})["x"]
    assert change.delta.value == pytest.approx((after - before).mean())
    assert change.p == pytest.approx(ttest_rel(after, before).pvalue, abs=0.03)


def test_p_is_uniform_when_nothing_changed() -> None:
    rng = np.random.default_rng(3)
    weights = unit_weights(60, redraws=500, seed=2)
    found = []
    for _ in range(200):
        before, after = rng.normal(size=(2, 60))
        found.append(changes({"x": _estimate(before, weights)}, {"x": _estimate(after, weights)})["x"].p)
    assert 0.02 < np.mean(np.array(found) <= 0.05) < 0.12
    assert 0.4 < np.mean(found) < 0.6


def test_pairing_sees_what_independent_intervals_hide_and_holm_makes_it_stricter() -> None:
    rng = np.random.default_rng(5)
    people = rng.normal(0, 10, size=300)
    weights = unit_weights(300, seed=3)
    before = {
        "a": _estimate(people, weights),
        "b": _estimate(people, weights),
        "only before": _estimate(people, weights),
    }
    after = {"a": _estimate(people + rng.normal(0.2, 0.5, 300), weights), "b": _estimate(people, weights)}
    plain, corrected = changes(before, after), changes(before, after, correction="holm")
    assert list(plain) == ["a", "b"]
    assert plain["a"].delta.low > 0 and plain["b"].delta.low <= 0 <= plain["b"].delta.high
    assert before["a"].low < after["a"].value < before["a"].high
    assert corrected["a"].p == pytest.approx(2 * plain["a"].p)
    assert corrected["b"].p == 1.0


@pytest.mark.parametrize(("gained", "lost"), [(0, 0), (7, 0), (9, 3), (3, 9), (1, 1)])
def test_signs_of_equal_changes_are_the_binomial_test(gained: int, lost: int) -> None:
    changed = np.r_[np.ones(gained), -np.ones(lost), np.zeros(20)]
    expected = binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    assert sign_flips(changed, seed=1, draws=40_000) == pytest.approx(expected, abs=0.01)


def test_answers_that_change_together_count_once() -> None:
    assert sign_flips(np.array([5.0, 5.0, 0, 0]), seed=1) == pytest.approx(0.5, abs=0.03)
