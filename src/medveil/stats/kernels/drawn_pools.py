"""The compiled loop of drawn pools: who competes with a query, in which shell, and repeated draws of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from medveil.stats.kernels.bits import count_bits
from medveil.stats.kernels.compilation import compiled
from medveil.stats.kernels.grid import Codes, Counts, Doubles, Words
from medveil.stats.kernels.redraws import STRIDE, mixed

Signs = NDArray[np.int8]

_32, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_FURTHEST = 64  # labels differ at most


@compiled
def draw_pools(
    scores: Doubles,
    first: int,
    codes: Codes,
    words: Words,
    matched: bool,
    drawn: Counts,
    seeds: Words,
    above: Counts,
    equal: Counts,
) -> None:
    """Fill `above` and `equal` (queries x repeats) with how many of the `drawn` competitors score so.

    Row i of `scores` are those of query first + i with the whole gallery. Matched pools hold the nearest profiles: all
    of the shells that fit, and a draw from the first one that does not.
    """
    n = scores.shape[1]
    stands, shells, taken = np.empty(n, np.int8), np.empty(n, np.uint8), np.zeros(n, np.int64)
    mark = 0
    for i in range(len(scores)):
        count = _competitors(scores[i], first + i, codes, words, matched, stands, shells)
        inside, inside_above, inside_equal, count = _edge(stands, shells, count, drawn[i])
        all_above, all_equal = _tell(stands, count)
        left = drawn[i] - inside
        few = min(left, count - left)  # these are drawn, or left out
        state = seeds[i]
        for repeat in range(above.shape[1]):
            mark += 1
            some_above, some_equal, state = _draw(stands, count, few, state, taken, mark)
            if few < left:
                some_above, some_equal = all_above - some_above, all_equal - some_equal
            above[i, repeat], equal[i, repeat] = inside_above + some_above, inside_equal + some_equal


@compiled
def _competitors(
    scores: Doubles, query: int, codes: Codes, words: Words, matched: bool, stands: Signs, shells: NDArray[np.uint8]
) -> int:
    """Fill in how each competitor's score stands to the own answer's, and its shell; returns how many there are."""
    count = 0
    for j in range(len(scores)):
        stands[count] = np.int8(scores[j] > scores[query]) - np.int8(scores[j] < scores[query])
        shells[count] = count_bits(words[j] ^ words[query]) if matched else 0
        count += codes[j] != codes[query]
    return count


@compiled
def _edge(stands: Signs, shells: NDArray[np.uint8], count: int, drawn: int) -> tuple[int, int, int, int]:
    """How many stand in the shells that fit whole, how many of them above and equal; `stands` keeps the first shell
    that does not fit, of the size that comes last."""
    sizes = np.zeros(_FURTHEST, np.int64)
    for place in range(count):
        sizes[shells[place]] += 1
    edge = inside = 0
    while edge < _FURTHEST and inside + sizes[edge] <= drawn:
        inside += sizes[edge]
        edge += 1
    kept = inside_above = inside_equal = 0
    for place in range(count):
        stand = stands[place]
        if shells[place] < edge:
            inside_above += stand == 1
            inside_equal += stand == 0
        elif shells[place] == edge:
            stands[kept] = stand
            kept += 1
    return inside, inside_above, inside_equal, kept


@compiled
def _tell(stands: Signs, count: int) -> tuple[int, int]:
    """How many of the first `count` are above and equal."""
    above = equal = 0
    for place in range(count):
        above += stands[place] == 1
        equal += stands[place] == 0
    return above, equal


@compiled
def _draw(
    stands: Signs, count: int, draws: int, state: np.uint64, taken: Counts, mark: int
) -> tuple[int, int, np.uint64]:
    """How many of `draws` different ones, each choice as likely, are above and equal; and the generator's state.

    A number that would favour some, and one that came already (which then bears the mark), is drawn anew.
    """
    above = equal = 0
    limit = np.uint64(max(count, 1))
    unfair = np.uint64(1 << 32) % limit
    while draws > 0:
        state += STRIDE
        number = (mixed(state) >> _32) * limit
        place = np.intp(number >> _32)
        if number & _LOW >= unfair and taken[place] != mark:
            taken[place] = mark
            above += stands[place] == 1
            equal += stands[place] == 0
            draws -= 1
    return above, equal, state
