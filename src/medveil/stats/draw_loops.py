"""The compiled loops of draws: redraws of units, and exact expectations over hypergeometric numbers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from medveil.stats.codes import Codes
from medveil.stats.compiled import compiled

Counts = NDArray[np.int64]
Doubles = NDArray[np.float64]
Singles = NDArray[np.float32]
Words = NDArray[np.uint64]

_ROWS = 512  # at a time, so that they stay in cache
_NOTHING = 1e-17  # of the mode's chance: what lies beyond adds up to less than rounding


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


@compiled
def closed_form(
    ahead: Counts, none: Doubles, some_of_more: Doubles, draw: tuple[int, int], places: Counts, out: Doubles
) -> None:
    """Fill `out` with Recall at each of `places` and the mean of 1/rank in pools that draw so many of so many, for
    every number of candidates that come first, without ties.

    `none` are the chances that none of b candidates is drawn, for every b, and `some_of_more` that some are, of one
    more candidate in a population of one more and with one more draw.
    """
    draws, population = draw
    mass, reached = np.empty((2, _ROWS))
    for start in range(0, len(ahead), _ROWS):
        first = ahead[start : start + _ROWS]
        for i in range(len(first)):
            # where so many come first that some are drawn in any case, the fewest are not none
            mass[i] = none[first[i]] if first[i] <= population - draws else 0.0
            reached[i] = mass[i]
        column = 0
        for hits in range(places[-1]):
            if hits > 0:
                factor = (draws - hits + 1) / hits
                for i in range(len(first)):
                    left = max(population - draws - first[i], 0) + hits
                    mass[i] *= factor * (first[i] - hits + 1) / left
                    reached[i] += mass[i]
            if hits + 1 == places[column]:
                for i in range(len(first)):
                    out[start + i, column] = min(reached[i], 1.0)
                column += 1
        for i in range(len(first)):
            if population - draws < first[i] < population - draws + places[-1]:
                _some_for_certain(first[i], draw, places, out[start + i])
            # E[1/rank] = (K+1)/N/(b+1) (1 - C(K-b, N)/C(K+1, N)), and the last ratio is the chance to draw none of b+1
            out[start + i, column] = (population + 1) / (draws + 1) / (first[i] + 1) * some_of_more[first[i] + 1]


@compiled
def _some_for_certain(first: int, draw: tuple[int, int], places: Counts, out: Doubles) -> None:
    """Recall where a few of those that come first are drawn in any case."""
    draws, population = draw
    least = draws - (population - first)
    mass, reached = _all_else_drawn(first, population, draws), 0.0
    column = 0
    for hits in range(places[-1]):
        if hits > least:
            mass *= (first - hits + 1) * float(draws - hits + 1) / (hits * float(hits - least))
        if hits >= least:
            reached += mass
        if hits + 1 == places[column]:
            out[column] = min(reached, 1.0)
            column += 1


@compiled
def _all_else_drawn(first: int, population: int, draws: int) -> float:
    """The chance of the fewest hits there can be, where all other candidates are drawn anyway."""
    left_out = population - draws
    logs = math.lgamma(first + 1) - math.lgamma(first - left_out + 1) - math.lgamma(population + 1)
    return math.exp(logs + math.lgamma(draws + 1))


@compiled
def compose(above: Counts, equal: Counts, others: Counts, drawn: Counts, out: Counts) -> None:
    """How `drawn` candidates are taken from shells (queries x shells), the nearest first and whole while they fit.

    Fills `out` with rows of counts: above and equal in the whole shells; above, equal and all in the shell that the
    rest is drawn from; and how many are drawn from it.
    """
    for i in range(len(drawn)):
        out[i] = 0
        left = drawn[i]
        for shell in range(others.shape[1]):
            if others[i, shell] > left:
                out[i, 2], out[i, 3], out[i, 4] = above[i, shell], equal[i, shell], others[i, shell]
                out[i, 5] = left
                break
            left -= others[i, shell]
            out[i, 0] += above[i, shell]
            out[i, 1] += equal[i, shell]


@compiled
def mixed_scores(rows: Counts, harmonic: Doubles, inverse: Doubles, places: Counts, out: Doubles) -> None:
    """Fill `out` for rows as `compose` makes them: Recall at each of `places`, and the mean of 1/rank.

    `harmonic` are the harmonic numbers and `inverse` 1/k from k = 1 on, as far as there are candidates.
    """
    found = np.empty(out.shape[1])
    for i in range(len(rows)):
        above, equal, hits, ties, population, drawn = rows[i]
        out[i] = 0.0
        total = 0.0
        fewest, most = max(0, drawn + ties - population), min(ties, drawn)
        mode = _mode(ties, population, drawn)
        for way in (1, -1):
            number, chance = mode, 1.0
            while fewest <= number <= most and chance > _NOTHING:
                if way == 1 or number != mode:
                    rest = (hits, population - ties, drawn - number)
                    _expect(above, equal + number, rest, _NOTHING / chance, harmonic, inverse, places, found)
                    out[i] += chance * found
                    total += chance
                chance *= _step(number, way, ties, population, drawn, inverse)
                number += way
        out[i] /= total


@compiled
def _expect(
    above: int,
    equal: int,
    draw: tuple[int, int, int],
    nothing: float,
    harmonic: Doubles,
    inverse: Doubles,
    places: Counts,
    out: Doubles,
) -> None:
    """The metrics with `above` and `equal` for certain, over how many hits come on top in a draw: of so many hits in
    a population of so many, so many drawn. What is less likely than `nothing` of the mode is left out."""
    hits, population, drawn = draw
    out[:] = 0.0
    total = reciprocal = 0.0
    fewest, most = max(0, drawn + hits - population), min(hits, drawn)
    mode = _mode(hits, population, drawn)
    for way in (1, -1):
        number, chance = mode, 1.0
        while fewest <= number <= most and chance > nothing:
            if way == 1 or number != mode:
                ahead = above + number
                total += chance
                if equal == 0:
                    reciprocal += chance * inverse[ahead]
                else:
                    reciprocal += chance * (harmonic[ahead + equal + 1] - harmonic[ahead])
                if ahead < places[-1]:
                    for j in range(len(places)):
                        out[j] += chance * min(1.0, max(0, places[j] - ahead) / (equal + 1))
            chance *= _step(number, way, hits, population, drawn, inverse)
            number += way
    out[-1] = reciprocal / (equal + 1)
    out /= total


@compiled
def _mode(hits: int, population: int, drawn: int) -> int:
    """A most likely number of hits."""
    mode = (drawn + 1) * (hits + 1) // (population + 2)
    return min(max(mode, 0, drawn + hits - population), hits, drawn)


@compiled
def _step(number: int, way: int, hits: int, population: int, drawn: int, inverse: Doubles) -> float:
    """The chance of the next number of hits, up or down, relative to this one's; zero beyond the last."""
    rest = population - hits - drawn
    if way == 1:
        return (hits - number) * float(drawn - number) * (inverse[number] * inverse[rest + number])
    return number * float(rest + number) * (inverse[hits - number] * inverse[drawn - number])
