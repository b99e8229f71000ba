"""Area under the ROC curve with weights and ties, and its replicates under resampling."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, expit, logit, stdtrit

from medveil.stats.estimate import Estimate, exact_interval

Floats = NDArray[np.float64]
COIN = 0.1  # of a unit


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


def honest_auc(found: Estimate, fewest: int | None = None) -> Estimate:
    """With an interval that is right near 1 too, where redraws of few units are lopsided or all the same.

    The wider of the redraws' own, one that is even on the scale of odds, and one that counts a tenth of a unit more, on
    which the score is a coin toss; the exact one where no error was seen. What is known of an AUC is known from the
    units of the smaller class, of which there are `fewest`: with these its ends err on the wide side, as bounds do.
    """
    units = max(2, found.units if fewest is None else fewest)
    tail = (1 - found.level) / 2
    if not 0 < found.value < 1 or not found.sd > 0:
        low, high = exact_interval(found.value, units, level=found.level)
    else:
        spread = found.sd * np.sqrt(units / (units - 1))  # redraws of few vary less than fresh samples do
        reach = -stdtrit(units - 1, tail) * spread / (found.value * (1 - found.value))
        even = [expit(logit(found.value) + side * reach) for side in (-1, 1)]
        tossed = _with_a_coin(found.value, spread**2 * units, units, tail)
        low, high = float(min(even[0], tossed[0])), float(max(even[1], tossed[1]))
    careful = found.bounds or fewest is not None
    return replace(found, low=min(found.low, low), high=max(found.high, high), bounds=careful)


def _with_a_coin(value: float, varies: float, units: int, tail: float) -> tuple[float, float]:
    """Ends of the beta distribution that units of this mean and variance give, weighed at random with the coin."""
    whole = units + COIN
    mean = (units * value + COIN / 2) / whole
    variance = ((units * (varies + value**2) + COIN / 4) / whole - mean**2) / (whole + 1)
    known = mean * (1 - mean) / variance - 1
    if known <= 0:  # nothing is known that a coin would not tell
        return 0.0, 1.0
    low, high = betaincinv(mean * known, (1 - mean) * known, [tail, 1 - tail])
    return float(low), float(high)
