"""Exact search by inner product, for galleries of millions of rows on one machine."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from medveil.stats.counting import Counts, Side, count_both
from medveil.stats.group_codes import Pairs
from medveil.stats.kernels.grid import Codes, Doubles, Vectors
from medveil.stats.score_tiles import BLOCK, Strip, Tile, each_tile, rounding

_NOTHING = np.empty((0, 0))
_ROWS = 512  # scored at a time by `nearest_is_match`


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


def nearest_is_match(
    vectors: NDArray[np.float32],
    groups: NDArray[np.intp],
    barred: NDArray[np.intp],
    *,
    block: int = _ROWS,
) -> NDArray[np.float64]:
    """For every row, the chance that its nearest other row has the same group.

    Rows with the same `barred` code never compete (a study's other images say nothing about another
    visit). Where several rows tie for nearest, each is as likely to be taken. NaN where a row has no
    match to find at all.
    """
    n = len(vectors)
    out = np.empty(n)
    for start in range(0, n, block):
        rows = slice(start, min(start + block, n))
        scores = vectors[rows] @ vectors.T
        scores[barred[rows, None] == barred[None, :]] = -np.inf
        same = groups[rows, None] == groups[None, :]
        best = scores == scores.max(axis=1, keepdims=True)
        allowed = np.isfinite(scores)
        share = (best & same & allowed).sum(axis=1) / np.maximum((best & allowed).sum(axis=1), 1)
        out[rows] = np.where((same & allowed).any(axis=1), share, np.nan)
    return out


def chance_of_match(groups: NDArray[np.intp], barred: NDArray[np.intp]) -> NDArray[np.float64]:
    """What picking any allowed row blindly scores, for every row; NaN without a match to find."""
    in_group = np.bincount(groups)[groups]
    in_barred = np.bincount(barred)[barred]
    pair = groups.astype(np.int64) * (int(barred.max(initial=0)) + 1) + barred
    _, inverse, counts = np.unique(pair, return_inverse=True, return_counts=True)
    matches = in_group - counts[inverse]
    candidates = len(groups) - in_barred
    share = matches / np.maximum(candidates, 1)
    return np.where(matches > 0, share, np.nan)
