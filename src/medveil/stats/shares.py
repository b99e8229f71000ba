"""Shares of successes by patient, with an interval that stays honest when successes are few or none.

Redrawing patients never invents a success: where none was seen, every redraw has none, and the bootstrap
alone would be certain of zero. So the interval is the wider of the bootstrap's and the exact binomial one
that counts every patient once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.stats.bootstrap import mean_replicates
from medveil.stats.estimate import Estimate, exact_interval

_NOTHING = 1e-6  # redraws are added up in single precision, which leaves a little of no success

__all__ = ["exact_interval", "share", "share_of_redraws", "strongest"]


def share(values: NDArray[np.float64], codes: NDArray[np.intp], weights: NDArray[np.float64], **rest: Any) -> Estimate:
    """The mean of values in 0..1, each belonging to the unit (patient) its code names."""
    return share_of_redraws(values, mean_replicates(values, codes, weights), units=len(np.unique(codes)), **rest)


def share_of_redraws(values: NDArray[np.float64], redrawn: NDArray[np.float64], *, units: int, **rest: Any) -> Estimate:
    """The same where every redraw has its own values, and `redrawn` are their means."""
    estimate = Estimate.from_replicates(float(values.mean()), redrawn, n=len(values), units=units, **rest)
    low, high = exact_interval(estimate.value, units, level=estimate.level)
    return replace(estimate, low=min(estimate.low, low), high=max(estimate.high, high), share=True)


def strongest(found: Mapping[str, Estimate]) -> tuple[str, Estimate]:
    """The largest of several shares measured under the same redraws, and an interval for the best of them.

    Picking the largest after the fact makes it too large: its lower end is that of a stricter level, shared among
    all. The upper end is the highest of any.
    """
    name = max(found, key=lambda each: found[each].value)
    best = found[name]
    tail = (1 - best.level) / 2 / len(found)
    low, _ = exact_interval(best.value, best.units, level=1 - 2 * tail)
    if best.replicates is not None:
        low = min(low, float(np.nanquantile(best.replicates, tail)))
    low = min(best.low, low)
    low = low if low > _NOTHING else 0.0
    return name, replace(best, low=low, high=max(each.high for each in found.values()))
