"""Resampling by independent unit. Images of one patient are not independent, so patients are redrawn."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from medveil.runtime.threads import available_cores

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Codes = NDArray[np.intp]

REDRAWS = 1000
_BLOCK = 40  # redraws at a time
_CHUNK = 2**14  # units whose counts stay in the fastest cache


def unit_codes(units: NDArray[np.object_] | NDArray[np.str_]) -> tuple[Codes, int]:
    """Units numbered in order of first appearance, so that renaming them changes no draw."""
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(unit, len(numbers)) for unit in map(str, np.asarray(units).tolist())]
    return np.array(codes, dtype=np.intp), len(numbers)


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


class Redraws:
    """Many statistics under the same redraws of units, block by block on all cores; faster in `one_core_a_product`.

    Every redraw is a true multinomial one. The draws follow from seed and number of units alone, so that two results
    on the same units are paired.
    """

    def __init__(self, units: int, *, redraws: int = REDRAWS, seed: int) -> None:
        self.units, self._redraws, self._seed = units, redraws, seed
        self._memory = threading.local()  # each worker's weights, used again and again

    def of(self, *statistics: Callable[[Singles], Floats]) -> list[Floats]:
        """Each statistic turns weights (some redraws x units) into values (as many x columns)."""
        blocks = range(0, self._redraws, _BLOCK)
        with ThreadPoolExecutor(available_cores(), initializer=self._begin) as pool:
            parts = list(pool.map(lambda start: self._block(start, statistics), blocks))
        return [np.concatenate(each) for each in zip(*parts, strict=True)]

    def _begin(self) -> None:
        self._memory.weights = np.empty((_BLOCK, self.units), dtype=np.float32)

    def _block(self, start: int, statistics: tuple[Callable[[Singles], Floats], ...]) -> list[Floats]:
        from medveil.stats.kernels.redraws import draw_counts

        rng = np.random.default_rng([self._seed, self.units, start])
        seeds = rng.integers(2**64, size=_BLOCK, dtype=np.uint64)
        ends = np.append(np.arange(0, self.units, _CHUNK), self.units)
        draws = rng.multinomial(self.units, np.diff(ends) / self.units, size=_BLOCK)
        weights = self._memory.weights[: self._redraws - start]
        draw_counts(seeds, draws, ends, weights)
        return [statistic(weights) for statistic in statistics]


class Means:
    """Means of columns of values, each row belonging to the unit its code names; NaN where a redraw has none.

    Columns may come in several parts. `members` says which values count in each column. Values are taken from their
    mean, so that what is constant stays exactly so in single precision.
    """

    def __init__(
        self, parts: Sequence[Floats], codes: Codes, units: int, *, members: NDArray[np.bool_] | None = None
    ) -> None:
        from medveil.stats.kernels.redraws import add_by_unit, mean_of_held

        held = np.ones((len(codes), 1), dtype=bool) if members is None else members
        ends = np.cumsum([0, *(part.shape[1] for part in parts)])
        self.value = np.concatenate([mean_of_held(part, held) for part in parts])
        # of values, and in the last columns of rows: one product adds up both
        self._sums = np.zeros((units, ends[-1] + held.shape[1]), dtype=np.float32)
        for part, start, end in zip(parts, ends[:-1], ends[1:], strict=True):
            add_by_unit(part, self.value[start:end], held, codes, self._sums[:, start:end])
        ones, nothing = held.astype(np.float64), np.zeros(held.shape[1])
        add_by_unit(ones, nothing, np.ones_like(held), codes, self._sums[:, ends[-1] :])
        self.spread = self._spread()

    def _spread(self) -> Floats:
        """How much units differ in what they add to each mean: the standard deviation, as if all had as many rows."""
        away, rows = np.split(self._sums, [len(self.value)], axis=1)
        held, total = (rows > 0).sum(axis=0), rows.sum(axis=0, dtype=np.float64)
        squares = np.einsum("uc,uc->c", away, away, dtype=np.float64)
        return np.asarray(np.sqrt(held * squares) / np.maximum(total, 1))

    def __call__(self, weights: Singles) -> Floats:
        sums, counts = np.split((weights @ self._sums).astype(np.float64), [len(self.value)], axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.value + np.where(counts > 0, sums / counts, np.nan)


class Ascending:
    """Columns of values in ascending order."""

    def __init__(self, values: Floats) -> None:
        columns = np.ascontiguousarray(values.T)
        with ThreadPoolExecutor(available_cores()) as pool:
            self.order: Codes = np.stack(list(pool.map(np.argsort, columns)))
        self.values = np.take_along_axis(columns, self.order, axis=1)


def _around_the_middle(units: int, values: int, *, level: float = 0.95) -> Codes:
    """The places, among sorted values, between which the median of all such units lies at least so often: below either
    lie as many units as a fair coin shows heads."""
    heads = bdtr(np.arange(units + 1.0), units, 0.5)
    fewest = max(1, int(np.searchsorted(heads, (1 - level) / 2)))
    low, high = (fewest - 1) / units, (units - fewest + 1) / units
    return np.array([int(low * values), max(0, int(np.ceil(high * values)) - 1)], dtype=np.intp)


class Medians:
    """Medians of columns of values, and the exact ends of each. Redraws move a median little: counting starts near the
    middle."""

    def __init__(self, columns: Ascending, codes: Codes, units: int) -> None:
        self._values, self._codes = columns.values, codes[columns.order]
        middle = self._values.shape[1] / 2
        self.value = (self._values[:, int(middle - 0.5)] + self._values[:, int(middle)]) / 2
        counts = np.bincount(codes, minlength=units).astype(np.float32)
        self.ends = self._values[:, _around_the_middle(int((counts > 0).sum()), self._values.shape[1])].T
        spread = 0.5 * np.sqrt((counts.astype(np.float64) ** 2).sum())  # of the number of values below, at most
        self._start = max(0, int(middle - 3.5 * spread))
        below = [np.bincount(each[: self._start], minlength=units) for each in self._codes]
        self._counts = np.stack([counts, *below], axis=1).astype(np.float32)

    def __call__(self, weights: Singles) -> Floats:
        from medveil.stats.kernels.redraws import redrawn_medians

        found = np.empty((len(weights), len(self._codes)))
        redrawn_medians(weights, weights @ self._counts, self._values, self._codes, self._start, found)
        return found
