"""The published protocol as it stands: pools are drawn again and again, and every query is averaged over them.

Exact expectation (`pools`, `matched_pools`) is what this tends to with ever more repeats. It is here for parity and as
a check that shares nothing with the closed forms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from medveil.runtime.threads import available_cores
from medveil.stats.kernels.grid import Codes, Doubles, Vectors
from medveil.stats.pools import METRICS, Counts, PoolScores, certain_scores, draws_of, mean_chance
from medveil.stats.ranks import profile_words
from medveil.stats.scores import on_grid

if TYPE_CHECKING:
    from medveil.stats.retrieval import Ties

RANDOM_REPEATS, MATCHED_REPEATS = 20, 10
_CELLS = 1 << 23  # scores at a time
_SHARES = 4  # of them, for each core


class Pool(NamedTuple):
    """How many candidates (None: all), and whether those that resemble the query come first."""

    size: int | None
    matched: bool = False

    @property
    def repeats(self) -> int:
        return MATCHED_REPEATS if self.matched else RANDOM_REPEATS


def sampled_pools(
    queries: Vectors,
    gallery: Vectors,
    pools: Sequence[Pool],
    *,
    profiles: NDArray[np.bool_] | None = None,
    exclude: Codes | None = None,
    ties: Ties = "expected",
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> list[PoolScores]:
    """Query i belongs to gallery row i. Each of `pools`, drawn 20 times from all, or 10 times by `profiles`."""
    ours, theirs = on_grid(queries).astype(np.float64), on_grid(gallery).astype(np.float64)
    n = len(ours)
    codes = np.arange(n) if exclude is None else exclude
    words = np.zeros(n, np.uint64) if profiles is None else profile_words(profiles)
    others = (n - np.bincount(codes)[codes]).astype(np.int64)
    drawings = [_Drawing(pool, draws_of(others, pool.size), ties, [seed, number]) for number, pool in enumerate(pools)]
    step = max(1, _CELLS // n)
    with ThreadPoolExecutor(available_cores()) as workers:
        for start in range(0, n, step):
            scores = ours[start : start + step] @ theirs.T
            share = -(-len(scores) // (_SHARES * available_cores()))
            parts = [slice(first, min(first + share, len(scores))) for first in range(0, len(scores), share)]

            def draw(part: slice, start: int = start, scores: Doubles = scores) -> None:
                for drawing in drawings:
                    drawing.draw(scores[part], start + part.start, codes, words)

            list(workers.map(draw, parts))
            if progress:
                progress(min(start + step, n), n)
    return [drawing.scores() for drawing in drawings]


class _Drawing:
    """One pool of every query, drawn so often, some queries at a time."""

    def __init__(self, pool: Pool, drawn: Counts, ties: Ties, seed: list[int]) -> None:
        self._pool, self._drawn, self._ties = pool, drawn, ties
        self._seeds = np.random.default_rng(seed).integers(2**64, size=len(drawn), dtype=np.uint64)
        self._values, self._rank = np.empty((len(drawn), len(METRICS))), np.empty(len(drawn))

    def draw(self, scores: Doubles, first: int, codes: Codes, words: NDArray[np.uint64]) -> None:
        """For the queries from `first` on, whose scores with the whole gallery these are."""
        from medveil.stats.kernels.drawn_pools import draw_pools

        rows = slice(first, first + len(scores))
        above, equal = np.empty((2, len(scores), self._pool.repeats), dtype=np.int64)
        draw_pools(scores, first, codes, words, self._pool.matched, self._drawn[rows], self._seeds[rows], above, equal)
        if self._ties != "expected":
            above, equal = above + (equal if self._ties == "worst" else 0), np.zeros_like(equal)
        values = certain_scores(above.ravel(), equal.ravel())
        self._values[rows] = values.reshape(len(scores), -1, len(METRICS)).mean(axis=1)
        self._rank[rows] = 1 + (above + equal / 2).mean(axis=1)

    def scores(self) -> PoolScores:
        return PoolScores(self._values, self._rank, mean_chance(self._drawn + 1), self._drawn + 1)
