"""The published protocol as it stands: pools are drawn again and again, and every query is averaged over them.

Exact expectation (`pools`, `matched_pools`) is what this tends to with ever more repeats. It is here for parity and as
a check that shares nothing with the closed forms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from medveil.stats.codes import Codes
from medveil.stats.pools import METRICS, Counts, PoolScores, certain_scores, draws_of, mean_chance
from medveil.stats.scores import Doubles, Vectors, on_grid

if TYPE_CHECKING:
    from medveil.stats.retrieval import Ties

RANDOM_REPEATS, MATCHED_REPEATS = 20, 10
_CELLS = 1 << 24  # scores at a time


def sampled_pools(
    queries: Vectors,
    gallery: Vectors,
    size: int | None,
    *,
    profiles: NDArray[np.bool_] | None = None,
    exclude: Codes | None = None,
    ties: Ties = "expected",
    seed: int,
) -> PoolScores:
    """Query i belongs to gallery row i. Pools of `size`, drawn 20 times from all, or 10 times by `profiles`."""
    ours, theirs = on_grid(queries).astype(np.float64), on_grid(gallery).astype(np.float64)
    codes = np.arange(len(ours)) if exclude is None else exclude
    others = len(codes) - np.bincount(codes)[codes]
    drawn = draws_of(others.astype(np.int64), size)
    values, rank = np.empty((len(ours), len(METRICS))), np.empty(len(ours))
    repeats = RANDOM_REPEATS if profiles is None else MATCHED_REPEATS
    step = max(1, _CELLS // len(theirs))
    for start in range(0, len(ours), step):
        scores = ours[start : start + step] @ theirs.T
        for query, row in enumerate(scores, start=start):
            rivals = np.flatnonzero(codes != codes[query])
            stands = np.sign(row[rivals] - row[query]).astype(np.int8)
            distance = None if profiles is None else (profiles[rivals] != profiles[query]).sum(axis=1)
            rng = np.random.default_rng([seed, query])
            above, equal = _draw(stands, distance, int(drawn[query]), repeats, rng)
            if ties != "expected":
                above, equal = above + (equal if ties == "worst" else 0), np.zeros_like(equal)
            values[query] = certain_scores(above, equal).mean(axis=0)
            rank[query] = 1 + (above + equal / 2).mean()
    return PoolScores(values, rank, mean_chance(drawn + 1), drawn + 1)


def _draw(
    stands: NDArray[np.int8], distance: Doubles | None, drawn: int, repeats: int, rng: np.random.Generator
) -> tuple[Counts, Counts]:
    """How many candidates stand above and equal in each of the repeated pools."""
    inside = np.zeros(0, dtype=np.int8)
    if distance is not None and drawn < len(stands):
        edge = np.partition(distance, drawn)[drawn]  # the shell that does not fit whole
        inside, stands = stands[distance < edge], stands[distance == edge]
    draws = drawn - len(inside)
    if draws == len(stands):
        pools = np.tile(stands, (1, 1))
    else:
        pools = np.stack([rng.choice(stands, draws, replace=False, shuffle=False) for _ in range(repeats)])
    above, equal = ((pools == sign).sum(axis=1) + (inside == sign).sum() for sign in (1, 0))
    return above, equal
