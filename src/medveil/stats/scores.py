"""Inner products, exactly where it matters.

A score is the inner product of two rows rounded to a grid of 2^-26 of their length, finer than single precision
resolves it. Sums on that grid are exact in double precision whatever their order, so equal rows tie exactly and no
score depends on block sizes, threads or the machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.errors import InputError
from medveil.stats.codes import Codes

Vectors = NDArray[np.floating[Any]]
Singles = NDArray[np.float32]
Doubles = NDArray[np.float64]

GRID = 26  # bits; two such numbers multiply and add up within the 53 bits of a double
SHORTEST = 1e-25  # below, steps would leave single precision
NOT_FINITE = "some vectors hold values that are not finite numbers; check the encoder that made them"
ALL_ZERO = "some vectors are all zeros; check the encoder that made them, or leave those cases out"
_PAIRS = 65_536  # scored at a time


def score_pairs(queries: Vectors, gallery: Vectors, left: Codes, right: Codes) -> Doubles:
    """The exact scores of single pairs: query `left[i]` against gallery row `right[i]`."""
    from medveil.stats.score_loops import exact_scores

    parts = [slice(start, start + _PAIRS) for start in range(0, len(left), _PAIRS)]
    return np.concatenate(
        [np.empty(0), *(exact_scores(on_grid(queries[left[p]]), on_grid(gallery[right[p]])) for p in parts)]
    )


def on_grid(vectors: Vectors) -> Singles:
    """The rows in single precision, each rounded to 2^-26 of its length."""
    return grid_and_lengths(vectors)[0]


def grid_and_lengths(vectors: Vectors) -> tuple[Singles, Doubles]:
    """The rows on the grid, and how long they are there."""
    from medveil.stats.score_loops import round_rows

    with np.errstate(over="ignore"):  # too large is not finite either
        rows = np.array(vectors, dtype=np.float32, order="C")
    lengths = round_rows(rows, GRID, SHORTEST)
    if not np.isfinite(lengths).all():
        raise InputError(NOT_FINITE)
    return rows, lengths
