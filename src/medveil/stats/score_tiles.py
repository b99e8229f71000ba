"""All scores of queries against a gallery, tile by tile: each stays in a core's cache and is never kept.

Tiles are multiplied in single precision, with a bound on how far they can be off. What lies within the bound of a
decision is for the reader of the tile to score again, exactly.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from medveil.runtime.threads import torch_threads
from medveil.stats.group_codes import Pairs
from medveil.stats.kernels.grid import Codes, Doubles, Singles, Vectors
from medveil.stats.scores import grid_and_lengths

BLOCK = (512, 1024)  # queries, gallery rows
CHUNK = 64  # a tile's width is a multiple, for loops that take so many scores at a time
_HELD = 2**26  # bytes of queries at hand while the gallery is read once

_memory = threading.local()  # each worker's scores, used again and again


class Rows(Protocol):
    """Vectors that are read some rows at a time: an array, a memory-mapped file, either in another order."""

    def __len__(self) -> int: ...

    def __getitem__(self, rows: slice, /) -> Vectors: ...


class Strip:
    """Some rows of one side, on the grid, and their codes, sorted."""

    def __init__(self, side: Rows, rows: slice, codes: Codes | None) -> None:
        import torch

        self.rows = rows
        self.vectors, self.lengths = grid_and_lengths(side[rows])
        self.tensor = torch.from_numpy(self.vectors)
        self.order: Codes | None = None
        if codes is not None:
            self.order = np.argsort(codes[rows], kind="stable")
            self.codes = codes[rows][self.order]


@dataclass(frozen=True)
class Tile:
    """The scores of some queries against some gallery rows; -inf where they may not match, and in the padding."""

    queries: Strip
    gallery: Strip
    scores: Singles

    def exact(self) -> Doubles:
        """All scores without rounding, whether they may match or not."""
        return self.queries.vectors.astype(np.float64) @ self.gallery.vectors.astype(np.float64).T


Work = Callable[[Strip, Iterator[Tile]], None]
Progress = Callable[[int, int], None]


def rounding(dim: int) -> float:
    """The most that a score of unit vectors can be off: the usual bound for a sum in any order."""
    return (dim + 4) * 2.0**-24


def each_tile(
    work: Work,
    queries: Rows,
    gallery: Rows,
    *,
    exclude: Codes | Pairs | None,
    block: tuple[int, int],
    progress: Progress | None = None,
) -> None:
    """Show all scores to `work`: for some gallery rows, the tiles of many queries, in several threads at once.

    A query meets the gallery in order. Rows that share an `exclude` code never match: one array where queries and
    gallery are the same rows, else a pair.
    """
    ours, theirs = exclude if isinstance(exclude, tuple) else (exclude, exclude)
    if not len(queries) or not len(gallery):
        return
    held = max(block[0], _HELD // queries[:1].nbytes)
    stretches, columns = _slices(0, len(queries), held), _slices(0, len(gallery), block[1])
    done = 0
    with _workers() as (pool, count):
        for stretch in stretches:
            size = min(block[0], -(-(stretch.stop - stretch.start) // count))
            parts = [Strip(queries, rows, ours) for rows in _slices(stretch.start, stretch.stop, size)]
            ahead = pool.submit(Strip, gallery, columns[0], theirs)
            for place in range(len(columns)):
                strip, left = ahead.result(), iter(parts)
                jobs = [pool.submit(work, strip, _tiles(left, strip)) for _ in range(count)]
                if place + 1 < len(columns):
                    ahead = pool.submit(Strip, gallery, columns[place + 1], theirs)
                for job in jobs:
                    job.result()
                done += 1
                if progress:
                    progress(done, len(stretches) * len(columns))


def _slices(start: int, stop: int, size: int) -> list[slice]:
    return [slice(first, min(first + size, stop)) for first in range(start, stop, size)]


def _tiles(parts: Iterator[Strip], gallery: Strip) -> Iterator[Tile]:
    """A tile for each part that no other thread has taken."""
    import torch

    from medveil.stats.kernels.scores import bar

    width, across = len(gallery.vectors), gallery.tensor.T
    padded = width + -width % CHUNK
    for queries in parts:
        shape = (len(queries.vectors), padded)
        if _memory.scores.shape != shape:
            _memory.scores = torch.full(shape, -torch.inf)
        torch.mm(queries.tensor, across, out=_memory.scores[:, :width])
        scores = _memory.scores.numpy()
        if padded > width:
            scores[:, width:] = -np.inf
        if queries.order is not None and gallery.order is not None:
            bar(scores, queries.codes, queries.order, gallery.codes, gallery.order)
        yield Tile(queries, gallery, scores)


@contextmanager
def _workers() -> Iterator[tuple[ThreadPoolExecutor, int]]:
    """As many threads as torch would use, or as the task has cores, each with one of them and its own cache.

    Products are made in single precision proper: a caller may have allowed faster ones that the bound does not cover.
    """
    import torch

    before, count, precision = torch.get_num_threads(), torch_threads(), torch.get_float32_matmul_precision()

    def begin() -> None:
        torch.set_num_threads(1)
        _memory.scores = torch.empty(0)

    torch.set_float32_matmul_precision("highest")
    try:
        with ThreadPoolExecutor(count, initializer=begin) as pool:
            yield pool, count
    finally:
        torch.set_num_threads(before)
        torch.set_float32_matmul_precision(precision)
