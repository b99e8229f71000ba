"""Exact search by inner product, for galleries of millions of rows on one machine."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from medveil.stats.counting import Counts, Side, count_both
from medveil.stats.group_codes import Pairs
from medveil.stats.kernels.grid import Codes, Doubles, Vectors
from medveil.stats.score_tiles import BLOCK, Strip, Tile, each_tile, rounding

_NOTHING = np.empty((0, 0))


def nearest(
    queries: Vectors,
    gallery: Vectors,
    k: int,
    *,
    exclude: Codes | Pairs | None = None,
    block: tuple[int, int] = BLOCK,
) -> tuple[Doubles, Codes]:
    """The k best gallery rows of every query, best first, ties in gallery order: scores and indices, both n × k.

    Rows that share an `exclude` code never match: one array where queries and gallery are the same rows, else a
    pair of arrays. Where a query has fewer than k rows to match, the rest is -inf and -1. Either side may be a
    memory-mapped array.
    """
    from medveil.stats.kernels.nearest import improve

    scores = np.full((len(queries), k), -np.inf)
    indices = np.full((len(queries), k), -1, dtype=np.intp)

    def look(strip: Strip, tiles: Iterator[Tile]) -> None:
        reach = rounding(strip.vectors.shape[1]) * strip.lengths.max()
        for tile in tiles:
            ours = tile.queries
            mine = scores[ours.rows], indices[ours.rows], ours.vectors, reach * ours.lengths
            done = improve(*mine, tile.scores, strip.vectors, strip.rows.start, 0, _NOTHING)
            if done < len(tile.scores):
                improve(*mine, tile.scores, strip.vectors, strip.rows.start, done, tile.exact())

    each_tile(look, queries, gallery, exclude=exclude, block=block)
    return scores, indices


def count_above(
    queries: Vectors,
    gallery: Vectors,
    thresholds: Doubles,
    *,
    exclude: Codes | Pairs | None = None,
    block: tuple[int, int] = BLOCK,
) -> tuple[Counts, Counts]:
    """For every query, how many gallery rows score above its threshold, and how many equal it exactly.

    `exclude` as in `nearest`. A threshold of NaN counts nothing.
    """
    ours = Side(thresholds)
    count_both(queries, gallery, ours, Side(np.full(len(gallery), np.nan)), exclude=exclude, block=block)
    return ours.above[:, 0], ours.equal[:, 0]
