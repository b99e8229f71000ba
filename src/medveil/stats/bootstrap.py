"""Resampling by independent unit. Images of one patient are not independent, so patients are redrawn."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

REDRAWS = 1000


def unit_codes(units: NDArray[np.object_] | NDArray[np.str_]) -> tuple[Codes, int]:
    """Units numbered in order of first appearance, so that renaming them changes no draw."""
    _, first, inverse = np.unique(np.asarray(units).astype(str), return_index=True, return_inverse=True)
    order = np.empty(len(first), dtype=np.intp)
    order[np.argsort(first)] = np.arange(len(first))
    return order[inverse], len(first)


def unit_weights(units: int, *, redraws: int = REDRAWS, seed: int) -> Floats:
    """How often each unit is drawn in each redraw: `redraws` × `units`, each row summing to `units`."""
    rng = np.random.default_rng([seed, units])
    return rng.multinomial(units, np.full(units, 1 / units), size=redraws).astype(np.float64)


def mean_replicates(values: Floats, codes: Codes, weights: Floats) -> Floats:
    """The mean of `values` in each redraw of the units that `codes` assigns them to."""
    units = weights.shape[1]
    sums = np.bincount(codes, values, minlength=units)
    counts = np.bincount(codes, minlength=units).astype(np.float64)
    drawn = weights @ counts
    return np.divide(weights @ sums, drawn, out=np.full(len(weights), np.nan), where=drawn > 0)


def replicates(statistic: Callable[[Floats], float], weights: Floats) -> Floats:
    """Any statistic of unit weights, once a redraw."""
    return np.array([statistic(row) for row in weights], dtype=np.float64)
