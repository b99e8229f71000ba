"""Area under the ROC curve with weights and ties, and its replicates under resampling."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class WeightedAUC:
    """Sorts the scores once; each call weighs the same observations differently in linear time."""

    def __init__(self, scores: Floats, positive: NDArray[np.bool_]) -> None:
        order = np.argsort(scores, kind="stable")
        ordered = np.asarray(scores)[order]
        self._order = order
        self._positive = np.asarray(positive)[order]
        self._starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(ordered) else np.array([], int)

    def __call__(self, weights: Floats | None = None) -> float:
        """Chance that a positive scores above a negative, ties counting half; NaN without both kinds."""
        w = np.ones(len(self._order)) if weights is None else weights[self._order]
        up = np.add.reduceat(np.where(self._positive, w, 0.0), self._starts) if len(w) else np.zeros(0)
        down = np.add.reduceat(np.where(self._positive, 0.0, w), self._starts) if len(w) else np.zeros(0)
        pairs = up.sum() * down.sum()
        if pairs == 0:
            return float("nan")
        below = np.cumsum(down) - down
        return float((up * (below + 0.5 * down)).sum() / pairs)
