"""Redraws of units: how often each comes up, and the sums and medians of a redraw."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from medveil.stats.kernels.compilation import compiled
from medveil.stats.kernels.grid import Codes, Counts, Doubles, Singles, Words

# the steps and multipliers of splitmix64, a generator small enough to stay in registers
STRIDE, _FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_27, _30, _31, _32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@compiled
def mixed(state: np.uint64) -> np.uint64:
    """The random word of a state; the next state is a STRIDE further."""
    word = (state ^ (state >> _30)) * _FIRST
    word = (word ^ (word >> _27)) * _SECOND
    return word ^ (word >> _31)


@compiled
def draw_counts(seeds: Words, draws: Counts, ends: Counts, counts: Singles) -> None:
    """Fill each row of `counts` (redraws x units) with how often a unit comes up, `ends` being where chunks of units
    begin and end, and `draws` (redraws x chunks) how many fall into each.

    Each word gives two draws. They are exactly uniform: a number that would favour some units is thrown away.
    """
    tally = np.empty(np.max(np.diff(ends)), dtype=np.uint8)  # no unit comes up 256 times
    for i in range(len(counts)):
        state = seeds[i]
        for chunk in range(len(ends) - 1):
            start, end, left = ends[chunk], ends[chunk + 1], draws[i, chunk]
            units = np.uint64(end - start)
            unfair = np.uint64(1 << 32) % units
            tally[:] = 0
            while left > 0:
                state += STRIDE
                word = mixed(state)
                one, other = (word >> _32) * units, (word & _LOW) * units
                if one & _LOW >= unfair:
                    tally[np.intp(one >> _32)] += np.uint8(1)
                    left -= 1
                if left > 0 and other & _LOW >= unfair:
                    tally[np.intp(other >> _32)] += np.uint8(1)
                    left -= 1
            counts[i, start:end] = tally[: end - start]


@compiled
def mean_of_held(values: Doubles, held: NDArray[np.bool_]) -> Doubles:
    """The mean of each column's values that are held: `held` has a column for every one of `values`, or one for all."""
    sums, counts = np.zeros((2, values.shape[1]))
    shared = held.shape[1] == 1
    for i in range(len(values)):
        for j in range(values.shape[1]):
            if held[i, 0 if shared else j]:
                sums[j] += values[i, j]
                counts[j] += 1.0
    return sums / counts


@compiled
def add_by_unit(values: Doubles, centre: Doubles, held: NDArray[np.bool_], codes: Codes, sums: Singles) -> None:
    """Add to `sums` (units x columns) the values that are held, each less the centre of its column."""
    shared = held.shape[1] == 1
    for i in range(len(values)):
        for j in range(values.shape[1]):
            if held[i, 0 if shared else j]:
                sums[codes[i], j] += values[i, j] - centre[j]


@compiled
def redrawn_medians(weights: Singles, counts: Singles, values: Doubles, codes: Codes, start: int, out: Doubles) -> None:
    """Fill `out` (redraws x columns) with medians: the mean of the two values in the middle, which may be one.

    `values` (columns x n) ascend, `codes` name their units, and `counts` has for each redraw the number of all values
    and, column by column, of those before `start`, where counting begins unless the middle was passed already.
    """
    for i in range(len(weights)):
        total = np.int64(counts[i, 0])
        for column in range(len(values)):
            passed = np.int64(counts[i, column + 1]) > (total - 1) // 2
            below = np.int64(0 if passed else counts[i, column + 1])
            lower = np.nan
            for place in range(0 if passed else start, values.shape[1]):
                below += np.int64(weights[i, codes[column, place]])
                if below > (total - 1) // 2 and np.isnan(lower):
                    lower = values[column, place]
                if below > total // 2:
                    out[i, column] = (lower + values[column, place]) / 2
                    break
