from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.stats.neighbours import chance_of_match, nearest_is_match

rows = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(-2, 2), st.integers(-2, 2)), min_size=1, max_size=25
)


def by_hand(vectors: np.ndarray, groups: np.ndarray, barred: np.ndarray, *, blind: bool) -> list[float]:
    """The definition, one row and one candidate at a time."""
    out = []
    for i in range(len(vectors)):
        candidates = [j for j in range(len(vectors)) if barred[j] != barred[i]]
        if not any(groups[j] == groups[i] for j in candidates):
            out.append(np.nan)
            continue
        scores = {j: 0.0 if blind else float(vectors[i] @ vectors[j]) for j in candidates}
        top = [j for j in candidates if scores[j] == max(scores.values())]
        out.append(sum(groups[j] == groups[i] for j in top) / len(top))
    return out


@given(rows, st.integers(1, 7))
def test_equals_brute_force_with_ties(case: list[tuple[int, int, int, int]], block: int) -> None:
    table = np.array(case)
    groups, barred = table[:, 0], table[:, 0] * 3 + table[:, 1]
    vectors = table[:, 2:].astype(np.float32)
    found = nearest_is_match(vectors, groups, barred, block=block)
    assert found == pytest.approx(by_hand(vectors, groups, barred, blind=False), nan_ok=True)
    assert chance_of_match(groups, barred) == pytest.approx(by_hand(vectors, groups, barred, blind=True), nan_ok=True)


def test_a_collapsed_encoder_scores_chance_not_perfection() -> None:
    groups = np.repeat(np.arange(10), 3)
    barred = np.arange(30)
    found = nearest_is_match(np.ones((30, 4), np.float32), groups, barred)
    assert found == pytest.approx(chance_of_match(groups, barred))
