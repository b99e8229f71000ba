"""Inner products in blocks that stay in cache, and exactly where it matters.

A score is the inner product of two rows rounded to a grid of 2^-26 of their length, finer than single precision
resolves it. Sums on that grid are exact in double precision whatever their order, so equal rows tie exactly and no
score depends on block sizes, threads or the machine. Blocks are multiplied in single precision, with a bound on how
far they can be off; what lies within the bound of a decision is scored again, exactly.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from medveil.errors import InputError
from medveil.stats.codes import CodeIndex, Codes, Pairs

if TYPE_CHECKING:
    import torch

Vectors = NDArray[np.floating[Any]]
Singles = NDArray[np.float32]
Doubles = NDArray[np.float64]

BLOCK = (512, 4096)  # queries, gallery rows: their scores fit the cache
CHUNK = 64  # a block holds a whole number of chunks of gallery rows
_STRETCH = 32_768  # queries at hand while the gallery is read once
_GRID = 26  # bits; two such numbers multiply and add up within the 53 bits of a double
_SHORTEST = 1e-25  # below, steps would leave single precision
_PAIRS = 65_536  # scored at a time

_memory = threading.local()  # each worker's scores, used again and again


@dataclass
class Tile:
    """The scores of some queries against some gallery rows, in single precision; -inf where they may not match."""

    rows: slice
    first: int  # gallery row
    scores: torch.Tensor
    slack: Doubles  # the most that a score of each query can be off
    queries: Singles
    gallery: Singles

    def exact(self, rows: Codes, columns: Codes) -> Doubles:
        """The scores of these pairs without rounding: one by one if they are few, all at once if they are many."""
        if len(rows) * 16 > self.scores.numel():
            everything = self.queries.astype(np.float64) @ self.gallery.astype(np.float64).T
            return everything[rows, columns]
        return _by_pair(self.queries, self.gallery, rows, columns)


def each_tile(
    work: Callable[[Tile], None],
    queries: Vectors,
    gallery: Vectors,
    *,
    exclude: Codes | Pairs | None,
    block: tuple[int, int],
) -> None:
    """Show all scores to `work`, tile by tile: gallery rows in order, several blocks of queries at once."""
    ours, theirs = exclude if isinstance(exclude, tuple) else (exclude, exclude)
    firsts = range(0, len(gallery), block[1])
    indexed = [None if theirs is None else CodeIndex(theirs[first : first + block[1]]) for first in firsts]
    with _workers() as (pool, count):
        for stretch in range(0, len(queries), _STRETCH):
            held = on_grid(queries[stretch : stretch + _STRETCH])
            size = min(block[0], -(-len(held) // count))
            parts = [
                _QueryBlock(stretch + start, held[start : start + size], ours) for start in range(0, len(held), size)
            ]
            for first, index in zip(firsts, indexed, strict=True):
                found = _GalleryBlock(first, on_grid(gallery[first : first + block[1]]), index)
                for job in [pool.submit(_show, work, part, found) for part in parts]:
                    job.result()


class _QueryBlock:
    def __init__(self, first: int, vectors: Singles, codes: Codes | None) -> None:
        self.rows = slice(first, first + len(vectors))
        self.vectors, self.lengths = vectors, _lengths(vectors)
        self.codes = None if codes is None else codes[self.rows]


class _GalleryBlock:
    def __init__(self, first: int, vectors: Singles, codes: CodeIndex | None) -> None:
        self.first, self.vectors, self.codes = first, vectors, codes
        self.longest = float(_lengths(vectors).max())
        padding = -len(vectors) % CHUNK
        self.padded = np.pad(vectors, ((0, padding), (0, 0))) if padding else vectors


def _show(work: Callable[[Tile], None], queries: _QueryBlock, gallery: _GalleryBlock) -> None:
    import torch

    scores = _memory.scores
    if scores.shape != (len(queries.vectors), len(gallery.padded)):
        scores = _memory.scores = torch.empty(len(queries.vectors), len(gallery.padded))
    torch.mm(torch.from_numpy(queries.vectors), torch.from_numpy(gallery.padded).T, out=scores)
    scores[:, len(gallery.vectors) :] = -torch.inf
    if queries.codes is not None and gallery.codes is not None:
        rows, columns = gallery.codes.pairs(queries.codes)
        scores[torch.from_numpy(rows), torch.from_numpy(columns)] = -torch.inf
    # the usual bound on the rounding of a sum in any order, and some for rounding the threshold
    slack = (queries.vectors.shape[1] + 4) * 2.0**-24 * queries.lengths * gallery.longest
    work(Tile(queries.rows, gallery.first, scores, slack, queries.vectors, gallery.vectors))


def score_pairs(queries: Vectors, gallery: Vectors, left: Codes, right: Codes) -> Doubles:
    """The exact scores of single pairs: query `left[i]` against gallery row `right[i]`."""
    parts = [slice(start, start + _PAIRS) for start in range(0, len(left), _PAIRS)]
    return np.concatenate(
        [np.empty(0), *(_products(on_grid(queries[left[p]]), on_grid(gallery[right[p]])) for p in parts)]
    )


def on_grid(vectors: Vectors) -> Singles:
    """The rows in single precision, each rounded to 2^-26 of its length."""
    rows = np.ascontiguousarray(vectors, dtype=np.float32)
    lengths = _lengths(rows)
    if not np.isfinite(lengths).all():
        raise InputError("some vectors hold values that are not finite numbers; check the encoder that made them")
    # a unit vector just above 1 is on the same grid as one just below
    exponents = np.ceil(np.log2(np.maximum(lengths, _SHORTEST) / 1.1))
    steps = np.float32(2) ** (exponents[:, None] - _GRID).astype(np.float32)
    on = rows / steps
    np.rint(on, out=on)
    on *= steps
    return on


def _lengths(rows: Singles) -> Doubles:
    return np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))


def _by_pair(queries: Singles, gallery: Singles, left: Codes, right: Codes) -> Doubles:
    parts = [slice(start, start + _PAIRS) for start in range(0, len(left), _PAIRS)]
    return np.concatenate([np.empty(0), *(_products(queries[left[p]], gallery[right[p]]) for p in parts)])


def _products(left: Singles, right: Singles) -> Doubles:
    return np.einsum("ij,ij->i", left, right, dtype=np.float64)


@contextmanager
def _workers() -> Iterator[tuple[ThreadPoolExecutor, int]]:
    """As many threads as torch would use, each with one core and its own cache.

    Products are made in single precision proper: a caller may have allowed faster ones that the bound does not cover.
    """
    import torch

    count, precision = torch.get_num_threads(), torch.get_float32_matmul_precision()

    def begin() -> None:
        torch.set_num_threads(1)
        _memory.scores = torch.empty(0)

    torch.set_float32_matmul_precision("highest")
    try:
        with ThreadPoolExecutor(count, initializer=begin) as pool:
            yield pool, count
    finally:
        torch.set_num_threads(count)
        torch.set_float32_matmul_precision(precision)
