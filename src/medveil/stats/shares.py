"""Shares of successes by patient, with bounds that stay honest when successes are few or none.

Redrawing patients never invents a success: where none was seen, every redraw has none, and the bootstrap
alone would be certain of zero. So the bounds are the wider of the bootstrap's and the exact ones that count every
patient once.
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

__all__ = ["exact_interval", "share", "share_of_redraws", "spread_of", "strongest"]


def share(values: NDArray[np.float64], codes: NDArray[np.intp], weights: NDArray[np.float64], **rest: Any) -> Estimate:
    """The mean of values in 0..1, each belonging to the unit (patient) its code names."""
    redrawn, units = mean_replicates(values, codes, weights), len(np.unique(codes))
    found = Estimate.from_replicates(float(values.mean()), redrawn, n=len(values), units=units, **rest)
    return found.as_share(spread=spread_of(values, codes))


def spread_of(values: NDArray[np.float64], codes: NDArray[np.intp]) -> float:
    """How much units differ in what they add to a mean: the standard deviation, as if all had as many values."""
    away = np.bincount(codes, values - values.mean())
    return float(np.sqrt(len(np.unique(codes)) * (away**2).sum())) / len(values)


def share_of_redraws(values: NDArray[np.float64], redrawn: NDArray[np.float64], **rest: Any) -> Estimate:
    """The same of one value a unit, where every redraw has its own values, and `redrawn` are their means."""
    units = len(values)
    estimate = Estimate.from_replicates(float(values.mean()), redrawn, n=units, units=units, **rest)
    return estimate.as_share(spread=float(values.std()))


def strongest(found: Mapping[str, Estimate]) -> tuple[str, Estimate]:
    """The largest of several shares measured under the same redraws, with bounds for the best of them.

    Picking the largest after the fact makes it too large: its lower end is that of a stricter level, shared among
    all. The upper end is the highest of any.
    """
    name = max(found, key=lambda each: found[each].value)
    best = found[name]
    tail = (1 - best.level) / 2 / len(found)
    low = best.as_share(spread=best.sd * np.sqrt(best.units), level=1 - 2 * tail).low
    if best.replicates is not None:
        low = min(low, float(np.nanquantile(best.replicates, tail)))
    low = low if low > _NOTHING else 0.0
    return name, replace(best, low=low, high=max(each.high for each in found.values()))
