"""Exact expectations over hypergeometric numbers: what a pool drawn at random scores on average."""

from __future__ import annotations

import math

import numpy as np

from medveil.stats.kernels.compilation import compiled
from medveil.stats.kernels.grid import Counts, Doubles

_ROWS = 512  # at a time, so that they stay in cache
_NOTHING = 1e-17  # of the mode's chance: what lies beyond adds up to less than rounding


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
