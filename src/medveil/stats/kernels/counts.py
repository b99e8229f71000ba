"""The compiled loops of counting, on one tile of scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from medveil.stats.kernels.bits import LANES, count_bits, greater, tally
from medveil.stats.kernels.compilation import compiled
from medveil.stats.kernels.grid import Codes, Counts, Doubles, Singles, Words
from medveil.stats.kernels.scores import MANY, exact_score

Tallies = NDArray[np.int32]

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_SHIFT, _REST = np.uint64(6), np.uint64(63)  # by which a place is a word and a bit
_MOST = 255  # that a byte can count
_LEAST = 1e-30  # of a margin: single precision may lose what is far smaller


@compiled
def count(
    scores: Singles,
    rounding: float,
    row_limits: Doubles,
    row_profiles: Words,
    row_lengths: Doubles,
    queries: Singles,
    row_above: Counts,  # rows × shells
    row_equal: Counts,
    limits: Doubles,
    profiles: Words,
    lengths: Doubles,
    gallery: Singles,
    above: Tallies,  # shells × columns
    equal: Tallies,
    first: int,
    exact: Doubles,
) -> int:
    """Count the scores above and at the limits of rows and columns, from the row `first` on.

    A score too near a limit to tell is made exact by itself, or taken from `exact` if that is not empty. Returns the
    row it came to: the end, or earlier if so many had to be made that `exact` pays.

    Rows of one profile go together: a column then needs one sum for all of them, and a row one sum for each run of
    columns with one profile, the difference of two running counts.
    """
    words = scores.shape[1] // LANES
    row_low, row_high = _bounds(row_limits, row_lengths, lengths, rounding, len(scores))
    low, high = _bounds(limits, lengths, row_lengths, rounding, scores.shape[1])
    own_low, own_high = np.empty(LANES, np.float32), np.empty(LANES, np.float32)
    starts = _starts(profiles)
    ends, distances = np.empty(len(starts), np.uintp), np.empty(len(starts), np.uintp)
    flags, before = np.zeros(words + 1, np.uint64), np.zeros(words + 1, np.intp)
    row_near, column_near = np.empty(words, np.uint64), np.empty(words, np.uint64)
    sums = np.zeros(scores.shape[1], np.uint8)
    made = 0
    while first < len(scores) and made * MANY <= scores.size:
        profile = row_profiles[first]
        runs = _runs(profile, profiles, starts, ends, distances)
        i = first
        while i < len(scores) and i < first + _MOST and row_profiles[i] == profile:
            for lane in range(LANES):
                own_low[lane], own_high[lane] = row_low[i], row_high[i]
            passed = 0
            unsure = _ZERO
            for word in range(words):
                at = word * LANES
                row_passed = greater(scores[i], at, own_high, 0)
                column_passed = greater(scores[i], at, high, at)
                row_near[word] = greater(scores[i], at, own_low, 0) & ~row_passed
                column_near[word] = greater(scores[i], at, low, at) & ~column_passed
                unsure |= row_near[word] | column_near[word]
                tally(sums, at, column_passed)
                flags[word], before[word] = row_passed, passed
                passed += count_bits(row_passed)
            for word in range(words if unsure else 0):
                near = row_near[word] | column_near[word]
                while near:
                    lowest = near & (~near + _ONE)
                    near ^= lowest
                    j = word * LANES + count_bits(lowest - _ONE)
                    if exact.size:
                        score = exact[i, j]
                    else:
                        score = exact_score(queries[i], gallery[j])
                        made += 1
                    distance = count_bits(profile ^ profiles[j])
                    if row_near[word] & lowest:
                        row_above[i, distance] += score > row_limits[i]
                        row_equal[i, distance] += score == row_limits[i]
                    if column_near[word] & lowest:
                        above[distance, j] += score > limits[j]
                        equal[distance, j] += score == limits[j]
            before[words] = passed
            counted = 0
            for run in range(runs):
                end = ends[run]
                upto = before[end >> _SHIFT] + count_bits(flags[end >> _SHIFT] & ((_ONE << (end & _REST)) - _ONE))
                row_above[i, distances[run]] += upto - counted
                counted = upto
            i += 1
        start = _ZERO
        for run in range(runs):
            for j in range(start, ends[run]):
                above[distances[run], j] += sums[j]
                sums[j] = 0
            start = ends[run]
        first = i
    return first


@compiled
def _bounds(limits: Doubles, lengths: Doubles, others: Doubles, rounding: float, width: int) -> tuple[Singles, Singles]:
    """A score not above the first is certainly below the limit, one above the second certainly above."""
    low, high = np.empty(width, np.float32), np.empty(width, np.float32)
    reach = rounding * others.max()
    for i in range(len(limits)):
        slack = lengths[i] * reach + abs(limits[i]) * 2.0**-22 + _LEAST  # the bound itself is rounded, too
        low[i], high[i] = limits[i] - slack, limits[i] + slack
    for i in range(len(limits), width):
        low[i] = high[i] = np.inf
    return low, high


@compiled
def _runs(profile: int, profiles: Words, starts: Codes, ends: Words, distances: Words) -> int:
    """Where runs of columns at one distance end, and that distance; returns how many there are."""
    runs = -1
    for k in range(len(starts) - 1):
        distance = count_bits(profile ^ profiles[starts[k]])
        if runs < 0 or distances[runs] != distance:
            runs += 1
            distances[runs] = distance
        ends[runs] = starts[k + 1]
    return runs + 1


@compiled
def _starts(profiles: Words) -> Codes:
    """Where runs of one profile start, and the end."""
    starts = [0]
    for j in range(1, len(profiles)):
        if profiles[j] != profiles[j - 1]:
            starts.append(j)
    starts.append(len(profiles))
    return np.array(starts)


@compiled
def shell_sizes(codes: Codes, profiles: Words, sizes: Codes, shells: int) -> Counts:
    """For every kind of row, how many rows of its code lie at each distance; `sizes` says how many each kind has.

    Kinds of one code follow each other.
    """
    counts = np.zeros((len(codes), shells), np.int64)
    first = 0
    for i in range(len(codes)):
        if codes[i] != codes[first]:
            first = i
        j = first
        while j < len(codes) and codes[j] == codes[i]:
            counts[i, count_bits(profiles[i] ^ profiles[j])] += sizes[j]
            j += 1
    return counts
