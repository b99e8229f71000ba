from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from medveil.stats.auc import WeightedAUC, honest_auc
from medveil.stats.estimate import Estimate

# few distinct scores, so that ties abound
cases = st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.integers(0, 3)), min_size=2, max_size=60)


@given(cases)
def test_equals_scikit_learn_with_weights_and_ties(case: list[tuple[int, bool, int]]) -> None:
    scores, positive, weights = (np.array(column) for column in zip(*case, strict=True))
    both = (weights[positive].sum() > 0) and (weights[~positive].sum() > 0)
    ours = WeightedAUC(scores.astype(float), positive)(weights.astype(float))
    if both:
        assert ours == pytest.approx(roc_auc_score(positive, scores, sample_weight=weights))
    else:
        assert np.isnan(ours)


def test_constant_scores_are_a_coin_toss() -> None:
    assert WeightedAUC(np.zeros(10), np.arange(10) < 3)() == 0.5


def test_nothing_to_compare_is_nan() -> None:
    assert np.isnan(WeightedAUC(np.zeros(0), np.zeros(0, bool))())


def test_no_error_seen_is_not_certainty_and_near_one_the_lower_end_reaches_further() -> None:
    perfect = honest_auc(Estimate(1.0, 0.0, 1.0, 1.0, 400, 40))
    assert perfect.high == 1 and perfect.low == pytest.approx(0.025 ** (1 / 40))
    near = honest_auc(Estimate(0.98, 0.01, 0.96, 0.995, 400, 40))
    assert near.low < 0.95 and near.high == 0.995 and near.value - near.low > near.high - near.value
    middle = honest_auc(Estimate(0.7, 0.05, 0.6, 0.8, 400, 40))
    of_one_finding = honest_auc(Estimate(0.98, 0.01, 0.96, 0.995, 400, 40), 15)
    assert of_one_finding.bounds and not near.bounds  # known from 15 patients: it errs on the wide side
    assert middle.low == pytest.approx(0.59, abs=0.01) and middle.high == 0.8
