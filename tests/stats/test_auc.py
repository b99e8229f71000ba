from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from medveil.stats.auc import WeightedAUC

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
