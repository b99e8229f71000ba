"""Area under the ROC curve with weights and ties, and its replicates under resampling."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, stdtrit

from medveil.stats.estimate import Estimate, exact_interval

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


def honest_auc(found: Estimate) -> Estimate:
    """With an interval that is right near 1 too, where redraws of few units are lopsided or all the same.

    The wider of the redraws' and one that is even on the scale of odds; the exact one where no error was seen.
    """
    if not 0 < found.value < 1 or not found.sd > 0:
        low, high = exact_interval(found.value, found.units, level=found.level)
    else:
        reach = -stdtrit(max(found.units - 1, 1), (1 - found.level) / 2) * found.sd / (found.value * (1 - found.value))
        low, high = (float(expit(logit(found.value) + side * reach)) for side in (-1, 1))
    return replace(found, low=min(found.low, low), high=max(found.high, high))
