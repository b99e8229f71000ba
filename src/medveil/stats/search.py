"""Exact search by inner product, for galleries of millions of rows on one machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from medveil.stats.codes import Codes, Pairs
from medveil.stats.scores import BLOCK, CHUNK, Doubles, Tile, Vectors, each_tile

if TYPE_CHECKING:
    import torch

Counts = NDArray[np.int64]

_FLAGS = 65_536  # comparisons at a time: they stay in the nearest cache


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
    scores = np.full((len(queries), k), -np.inf)
    indices = np.full((len(queries), k), -1, dtype=np.intp)

    def look(tile: Tile) -> None:
        best, found = scores[tile.rows], indices[tile.rows]
        rows, columns = _contenders(tile, best[:, -1], k)
        exact = tile.exact(rows, columns)
        better = exact > best[rows, -1]  # an equal score further on loses the tie
        _merge(best, found, rows[better], exact[better], columns[better] + tile.first)

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
    above, equal = np.zeros((2, len(queries)), dtype=np.int64)

    def look(tile: Tile) -> None:
        limits = thresholds[tile.rows]
        certain, rows, columns = _sort_out(tile, limits)
        exact = tile.exact(rows, columns)
        above[tile.rows] += certain + np.bincount(rows[exact > limits[rows]], minlength=len(limits))
        equal[tile.rows] += np.bincount(rows[exact == limits[rows]], minlength=len(limits))

    each_tile(look, queries, gallery, exclude=exclude, block=block)
    return above, equal


def _contenders(tile: Tile, floor: Doubles, k: int) -> Pairs:
    """All pairs of the tile that may be among their query's k best; `floor` is its k-th best score so far."""
    import torch

    width = CHUNK
    while tile.scores.shape[1] // width < k and width > 1:
        width //= 2
    slack = 2 * torch.from_numpy(tile.slack)
    least = torch.from_numpy(floor)
    rows, scores = _rows_reaching(tile.scores, least - slack)
    chunks, least = scores.view(len(rows), scores.shape[1] // width, width), least[rows]
    peaks = chunks.amax(2)
    if peaks.shape[1] >= k:  # at least k scores reach the k-th highest peak
        least = torch.maximum(least, peaks.topk(k, dim=1).values[:, -1])
    least = (least - slack[rows]).float().nextafter(torch.tensor(-torch.inf))
    lines, places = (peaks >= least[:, None]).nonzero(as_tuple=True)
    inside = chunks[lines, places]
    hits, offsets = ((inside >= least[lines, None]) & (inside > -torch.inf)).nonzero(as_tuple=True)
    return rows[lines[hits]].numpy(), (places[hits] * width + offsets).numpy()


def _merge(best: Doubles, found: Codes, rows: Codes, scores: Doubles, indices: Codes) -> None:
    """Put new finds into their query's list, in place."""
    changed = np.unique(rows)
    k = best.shape[1]
    all_rows = np.r_[np.repeat(changed, k), rows]
    all_scores = np.r_[best[changed].ravel(), scores]
    all_indices = np.r_[found[changed].ravel(), indices]
    order = np.lexsort((all_indices, -all_scores, all_rows))
    starts = np.searchsorted(all_rows[order], changed)
    kept = order[starts[:, None] + np.arange(k)]
    best[changed], found[changed] = all_scores[kept], all_indices[kept]


def _sort_out(tile: Tile, limits: Doubles) -> tuple[Counts, Codes, Codes]:
    """How many scores of each query are certainly above its limit, and the pairs too near it to tell."""
    import torch

    low = torch.from_numpy(limits - tile.slack).float().nextafter(torch.tensor(-torch.inf))
    high = torch.from_numpy(limits + tile.slack).float().nextafter(torch.tensor(torch.inf))
    reaching, scores = _rows_reaching(tile.scores, low)
    chunks = scores.view(len(reaching), scores.shape[1] // CHUNK, CHUNK)
    hot = chunks.amax(2) >= low[reaching, None]
    if 4 * int(hot.sum()) > hot.numel():  # taking all is cheaper than picking most
        hot.fill_(True)
        lines = chunks.flatten(0, 1)
    else:
        lines = chunks[hot]
    rows, places = hot.nonzero(as_tuple=True)
    rows = reaching[rows]
    reached, passed = _count(torch.ge, lines, low[rows]), _count(torch.gt, lines, high[rows])
    unsure = (reached > passed).nonzero()[:, 0]
    near = lines[unsure]
    of = rows[unsure]
    hits, offsets = ((near >= low[of, None]) & (near <= high[of, None])).nonzero(as_tuple=True)
    certain = np.bincount(rows.numpy(), passed.numpy(), minlength=len(limits)).astype(np.int64)
    return certain, of[hits].numpy(), (places[unsure][hits] * CHUNK + offsets).numpy()


def _rows_reaching(scores: torch.Tensor, limits: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The rows with a score at or above their limit, and their scores; all rows where picking would take longer."""
    import torch

    rows = (scores.amax(1) >= limits).nonzero()[:, 0]
    if 2 * len(rows) > len(scores):
        return torch.arange(len(scores)), scores
    return rows, scores[rows]


def _count(compare: Callable[..., torch.Tensor], lines: torch.Tensor, limits: torch.Tensor) -> torch.Tensor:
    """How many of each line's scores compare true; as floats, a few lines at a time, several times faster."""
    import torch

    step = max(1, _FLAGS // max(1, lines.shape[1]))
    flags = torch.empty(min(step, len(lines)), lines.shape[1])
    counts = torch.empty(len(lines))
    for start in range(0, len(lines), step):
        part = lines[start : start + step]
        compare(part, limits[start : start + step, None], out=flags[: len(part)])
        torch.sum(flags[: len(part)], 1, out=counts[start : start + step])
    return counts.long()
