"""The compiled loop of the search for nearest rows, on one tile of scores."""

from __future__ import annotations

import numpy as np

from medveil.stats.kernels.bits import LANES, count_bits, greater
from medveil.stats.kernels.compilation import compiled
from medveil.stats.kernels.grid import Codes, Doubles, Singles
from medveil.stats.kernels.scores import MANY, exact_score

_ONE = np.uint64(1)


@compiled
def improve(
    best: Doubles,
    found: Codes,
    queries: Singles,
    slack: Doubles,
    scores: Singles,
    gallery: Singles,
    first: int,
    start: int,
    exact: Doubles,
) -> int:
    """Take the tile's rows into the lists of the queries from `start` on, each list sorted, best first.

    Scores are made exact one by one where `exact` is empty. Returns the query it came to: the last one, or earlier if
    so many had to be that making `exact` pays.
    """
    floor = np.empty(LANES, np.float32)
    last = best.shape[1] - 1
    made = 0
    for i in range(start, len(scores)):
        if made * MANY > scores.size:
            return i
        _set_floor(floor, best[i, last] - slack[i])
        for word in range(scores.shape[1] // LANES):
            left = greater(scores[i], word * LANES, floor, 0)
            while left:
                j = word * LANES + count_bits((left & (~left + _ONE)) - _ONE)
                left &= left - _ONE
                if scores[i, j] > floor[0]:  # it may have risen
                    if exact.size:
                        score = exact[i, j]
                    else:
                        score = exact_score(queries[i], gallery[j])
                        made += 1
                    if score > best[i, last]:  # an equal score further on loses the tie
                        _insert(best[i], found[i], score, first + j)
                        _set_floor(floor, best[i, last] - slack[i])
    return len(scores)


@compiled
def _set_floor(floor: Singles, limit: float) -> None:
    """A score that is not above the floor is certainly below the limit."""
    rounded = np.nextafter(np.float32(limit), np.float32(-np.inf))
    for lane in range(LANES):
        floor[lane] = rounded


@compiled
def _insert(best: Doubles, found: Codes, score: float, index: int) -> None:
    place = len(best) - 1
    while place > 0 and best[place - 1] < score:
        best[place], found[place] = best[place - 1], found[place - 1]
        place -= 1
    best[place], found[place] = score, index
