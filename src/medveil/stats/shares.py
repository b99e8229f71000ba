"""Shares of successes by patient, with an interval that stays honest when successes are few or none.

Redrawing patients never invents a success: where none was seen, every redraw has none, and the bootstrap
alone would be certain of zero. So the interval is the wider of the bootstrap's and the exact binomial one
that counts every patient once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from medveil.stats.bootstrap import mean_replicates
from medveil.stats.estimate import Estimate


def share(values: NDArray[np.float64], codes: NDArray[np.intp], weights: NDArray[np.float64], **rest: Any) -> Estimate:
    """The mean of values in 0..1, each belonging to the unit (patient) its code names."""
    units = len(np.unique(codes))
    draws = mean_replicates(values, codes, weights)
    estimate = Estimate.from_replicates(float(values.mean()), draws, n=len(values), units=units, **rest)
    low, high = exact_interval(estimate.value, units, level=estimate.level)
    return replace(estimate, low=min(estimate.low, low), high=max(estimate.high, high))


def exact_interval(value: float, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's interval for a share of n independent tries."""
    tail = (1 - level) / 2
    hits = value * n
    low = beta.ppf(tail, hits, n - hits + 1) if hits > 0 else 0.0
    high = beta.ppf(1 - tail, hits + 1, n - hits) if hits < n else 1.0
    return float(low), float(high)
