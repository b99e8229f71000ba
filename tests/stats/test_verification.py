from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from sklearn import metrics

from medveil.stats.bootstrap import unit_weights
from medveil.stats.verification import PairRedraws, ScoredPairs, curve_estimates, decision_estimates

# few distinct scores, so that ties abound
cases = st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.integers(0, 3)), min_size=2, max_size=60).filter(
    lambda rows: any(same and weight for _, same, weight in rows) and any(not s and w for _, s, w in rows)
)


def arrays(case: list[tuple[int, bool, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    scores, same, weights = (np.array(column) for column in zip(*case, strict=True))
    return scores.astype(float), same, weights.astype(float)


@given(cases)
def test_curve_equals_scikit_learns(case: list[tuple[int, bool, int]]) -> None:
    scores, same, weights = arrays(case)
    ours = ScoredPairs(scores, same).curve(weights)
    theirs = metrics.roc_curve(same, scores, sample_weight=weights, drop_intermediate=False)
    kept = np.r_[True, np.isin(ours.thresholds[1:], theirs[2])]  # theirs has no point where all weights are 0
    assert ours.false_match[kept] == pytest.approx(theirs[0])
    assert ours.true_match[kept] == pytest.approx(theirs[1])
    assert ours.auc == pytest.approx(metrics.roc_auc_score(same, scores, sample_weight=weights))


@given(cases, st.floats(0, 1))
def test_corners_are_enough(case: list[tuple[int, bool, int]], rate: float) -> None:
    """What redraws compute from the corners equals what all points give."""
    scores, same, weights = arrays(case)
    pairs = ScoredPairs(scores, same)
    full, corners = pairs.curve(weights), pairs.corners(weights[pairs.order])
    assert corners.auc == pytest.approx(full.auc)
    assert corners.equal_error_rate == pytest.approx(full.equal_error_rate)
    assert corners.true_match_at(rate) == pytest.approx(full.true_match_at(rate))


@given(cases, st.floats(0, 1))
def test_true_matches_at_a_rate_by_hand(case: list[tuple[int, bool, int]], rate: float) -> None:
    scores, same, _ = arrays(case)
    curve = ScoredPairs(scores, same).curve()
    thresholds = [t for t in (*np.unique(scores), np.inf) if (scores[~same] >= t).mean() <= rate]
    assert curve.threshold_at(rate) == min(thresholds)
    assert curve.true_match_at(rate) == pytest.approx((scores[same] >= min(thresholds)).mean())


@given(cases)
def test_equal_error_rate_is_where_the_line_crosses(case: list[tuple[int, bool, int]]) -> None:
    scores, same, _ = arrays(case)
    false, true, _ = metrics.roc_curve(same, scores, drop_intermediate=False)
    along = np.arange(len(false))

    def excess(x: float) -> float:
        return float(np.interp(x, along, false) - 1 + np.interp(x, along, true))

    crossing = np.interp(brentq(excess, 0, len(false) - 1), along, false)
    assert ScoredPairs(scores, same).curve().equal_error_rate == pytest.approx(crossing)


@given(cases, st.sampled_from([-1.0, 0.0, 1.5, 2.0, 9.0]))
def test_decisions_equal_scikit_learns(case: list[tuple[int, bool, int]], threshold: float) -> None:
    scores, same, weights = arrays(case)
    pairs = ScoredPairs(scores, same)
    ours = pairs.decisions(threshold, weights[pairs.order]).measures()
    called = scores >= threshold
    options = {"sample_weight": weights, "zero_division": np.nan}
    assert ours["accuracy"] == pytest.approx(metrics.accuracy_score(same, called, sample_weight=weights))
    assert ours["recall"] == pytest.approx(metrics.recall_score(same, called, **options))
    assert ours["specificity"] == pytest.approx(metrics.recall_score(~same, ~called, **options))
    assert ours["precision"] == pytest.approx(metrics.precision_score(same, called, **options), nan_ok=True)
    assert ours["F1"] == pytest.approx(metrics.f1_score(same, called, **options))


def planted(pairs: int, patients: int, signal: float) -> tuple[ScoredPairs, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    same = np.arange(pairs) % 2 == 0
    left = rng.integers(patients, size=pairs)
    right = np.where(same, left, (left + rng.integers(1, patients, size=pairs)) % patients)
    ease = rng.standard_normal(patients)  # some people are easily recognised: their pairs go together
    scores = signal * same + np.where(same, ease[left], 0) + rng.standard_normal(pairs)
    return ScoredPairs(scores, same), left, right


def test_redraws_by_patient_equal_drawing_pairs_again() -> None:
    pairs, left, right = planted(60, 8, 1)
    weights = unit_weights(8, redraws=5, seed=0)
    for row, fast in zip(weights, PairRedraws.by_patient(pairs, left, right, weights).weights(), strict=True):
        slow = [
            sum(1 for p in np.repeat(np.arange(8), row.astype(int)) if p == a)
            if a == b
            else sum(1 for p in np.repeat(np.arange(8), row.astype(int)) if p == a) * int(row[b])
            for a, b in zip(left[pairs.order], right[pairs.order], strict=True)
        ]
        assert fast.tolist() == slow


def test_intervals_by_patient_are_wider_when_a_patients_pairs_go_together() -> None:
    pairs, left, right = planted(4000, 40, 2)
    by_patient = curve_estimates(
        pairs, PairRedraws.by_patient(pairs, left, right, unit_weights(40, redraws=300, seed=0))
    )
    by_pair = curve_estimates(pairs, PairRedraws.by_pair(pairs, redraws=300, seed=0))
    assert by_patient["AUC"].value == by_pair["AUC"].value == pytest.approx(0.87, abs=0.05)
    assert by_patient["AUC"].sd > 2 * by_pair["AUC"].sd
    assert (by_patient["AUC"].unit, by_pair["AUC"].unit, by_pair["AUC"].units) == ("patient", "pair", 4000)
    # the textbook error of an AUC of independent pairs (Hanley and McNeil)
    auc, n = by_pair["AUC"].value, 2000
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    textbook = np.sqrt((auc * (1 - auc) + (n - 1) * (q1 - auc**2 + q2 - auc**2)) / n**2)
    assert by_pair["AUC"].sd == pytest.approx(textbook, rel=0.2)


def test_rates_too_small_for_the_pairs_are_not_claimed() -> None:
    pairs, left, right = planted(400, 20, 1)
    found = curve_estimates(pairs, PairRedraws.by_patient(pairs, left, right, unit_weights(20, redraws=20, seed=0)))
    assert "true-match rate at 0.01" in found
    assert "true-match rate at 0.001" not in found


def test_no_error_seen_is_not_certainty() -> None:
    same = np.arange(200) % 2 == 0
    pairs = ScoredPairs(same.astype(float), same)
    left = np.arange(200) // 4
    redraws = PairRedraws.by_patient(pairs, left, np.where(same, left, (left + 1) % 50), unit_weights(50, seed=0))
    for found in (*curve_estimates(pairs, redraws).values(), *decision_estimates(pairs, 0.5, redraws).values()):
        assert found.low < found.high
    assert curve_estimates(pairs, redraws)["AUC"].low == pytest.approx(0.025 ** (1 / 50))


def test_a_pair_without_a_score_is_refused() -> None:
    with pytest.raises(ValueError, match="without a score"):
        ScoredPairs(np.array([1.0, np.nan]), np.array([True, False]))
