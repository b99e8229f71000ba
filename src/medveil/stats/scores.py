"""Inner products, exactly where it matters.

A score is the inner product of two rows rounded to a grid of 2^-26 of their length, finer than single precision
resolves it. Sums on that grid are exact in double precision whatever their order, so equal rows tie exactly and no
score depends on block sizes, threads or the machine.
"""

from __future__ import annotations

import numpy as np

from medveil.errors import InputError
from medveil.stats.kernels.grid import GRID, NOT_FINITE, SHORTEST, Codes, Doubles, Singles, Vectors

_PAIRS = 65_536  # scored at a time


def score_pairs(queries: Vectors, gallery: Vectors, left: Codes, right: Codes) -> Doubles:
    """The exact scores of single pairs: query `left[i]` against gallery row `right[i]`."""
    from medveil.stats.kernels.scores import exact_scores

    parts = [slice(start, start + _PAIRS) for start in range(0, len(left), _PAIRS)]
    return np.concatenate(
        [np.empty(0), *(exact_scores(on_grid(queries[left[p]]), on_grid(gallery[right[p]])) for p in parts)]
    )


def on_grid(vectors: Vectors) -> Singles:
    """The rows in single precision, each rounded to 2^-26 of its length."""
    return grid_and_lengths(vectors)[0]


def grid_and_lengths(vectors: Vectors) -> tuple[Singles, Doubles]:
    """The rows on the grid, and how long they are there."""
    from medveil.stats.kernels.scores import round_rows

    with np.errstate(over="ignore"):  # too large is not finite either
        rows = np.array(vectors, dtype=np.float32, order="C")
    lengths = round_rows(rows, GRID, SHORTEST)
    if not np.isfinite(lengths).all():
        raise InputError(NOT_FINITE)
    return rows, lengths
