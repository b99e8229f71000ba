"""The compiled loops of scores: rounding to the grid, exact scores of single pairs, pairs that may not match."""

from __future__ import annotations

import numpy as np

from medveil.stats.kernels.compilation import compiled
from medveil.stats.kernels.grid import Codes, Doubles, Singles

MANY = 8  # scoring all pairs of a tile exactly costs about as much as scoring one in so many by itself


@compiled
def exact_score(left: Singles, right: Singles) -> float:
    """The inner product of two rows in double precision; of rows on the grid, without rounding."""
    score = 0.0
    for j in range(len(left)):
        score += np.float64(left[j]) * np.float64(right[j])
    return score


@compiled
def exact_scores(left: Singles, right: Singles) -> Doubles:
    """Row by row."""
    scores = np.empty(len(left))
    for i in range(len(left)):
        scores[i] = exact_score(left[i], right[i])
    return scores


@compiled
def round_rows(rows: Singles, bits: int, shortest: float) -> Doubles:
    """Round each row, in place, to 2^-bits of its length; returns the lengths, which may be infinite or no numbers."""
    lengths = np.empty(len(rows))
    for i in range(len(rows)):
        row = rows[i]
        lengths[i] = np.sqrt(exact_score(row, row))
        if lengths[i] < np.inf:
            # a unit vector just above 1 is on the same grid as one just below
            exponent = np.ceil(np.log2(max(lengths[i], shortest) / 1.1))
            step = np.float32(2.0 ** (exponent - bits))
            for j in range(len(row)):
                row[j] = np.rint(row[j] / step) * step
            lengths[i] = np.sqrt(exact_score(row, row))
    return lengths


@compiled
def bar(scores: Singles, ours: Codes, our_order: Codes, theirs: Codes, their_order: Codes) -> None:
    """Put -inf where a query and a gallery row share a code. Codes are sorted; the orders say whose they are."""
    first = 0
    for i in range(len(ours)):
        while first < len(theirs) and theirs[first] < ours[i]:
            first += 1
        place = first
        while place < len(theirs) and theirs[place] == ours[i]:
            scores[our_order[i], their_order[place]] = -np.inf
            place += 1
