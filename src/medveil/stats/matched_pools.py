"""The same in pools of candidates that resemble the query: by ascending distance of their label profiles.

Shells of equal distance go into a query's pool from the nearest on, whole as long as they fit; the first one that does
not gives a uniform draw of what is missing. So only that last shell is left to chance, and the exact expectation is
one over a hypergeometric number again, now on top of what the whole shells hold.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from medveil.runtime.threads import available_cores
from medveil.stats.pools import (
    METRICS,
    PLACES,
    Counts,
    Doubles,
    PoolScores,
    certain_scores,
    drawn_scores,
    draws_of,
    harmonic,
    mean_chance,
    settled,
)

if TYPE_CHECKING:
    from medveil.stats.ranks import Ranks
    from medveil.stats.retrieval import Ties

_WORTH_A_TABLE = 32, 512  # queries that draw as many from as many, with ties and without


def matched_pools(ranks: Ranks, size: int | None, *, ties: Ties = "expected") -> PoolScores:
    """Every query against the `size` candidates that resemble it most, or against all (None)."""
    from medveil.stats.kernels.expectations import compose

    counts = settled(ranks, ties)
    drawn = draws_of(counts[2].sum(axis=1), size)
    rows = np.empty((len(drawn), 6), dtype=np.int64)
    compose(*counts, drawn, rows)
    above, equal, shell_above, shell_equal, shell, draws = rows.T
    rank = 1 + above + equal / 2 + draws / np.maximum(shell, 1) * (shell_above + shell_equal / 2)
    return PoolScores(_scores(rows), rank, mean_chance(drawn + 1), drawn + 1)


def _scores(rows: Counts) -> Doubles:
    """By the cheapest exact way for each query."""
    above, equal, shell_above, shell_equal, shell, draws = rows.T
    values = np.empty((len(rows), len(METRICS)))
    # a draw from a shell in which nobody beats or ties the own answer changes nothing
    certain = (draws == 0) | (shell_above + shell_equal == 0)
    values[certain] = certain_scores(above[certain], equal[certain])
    tied, plain = ~certain & (shell_equal > 0), ~certain & (shell_equal == 0)
    for open_ones, worth in zip((tied, plain), _WORTH_A_TABLE, strict=True):
        alone = np.flatnonzero(open_ones & (above + equal == 0))
        alone = alone[_common(shell[alone], draws[alone], worth)]
        values[alone] = drawn_scores(shell_above[alone], shell_equal[alone], shell[alone], draws[alone])
        open_ones[alone] = False
    values[plain] = _summed(rows[plain])
    kinds, inverse = np.unique(rows[tied], axis=0, return_inverse=True)  # sums over two numbers: once for each kind
    values[tied] = _summed(kinds)[inverse.ravel()]
    return values


def _common(shell: Counts, draws: Counts, worth: int) -> NDArray[np.bool_]:
    """Queries that draw as many from as many as at least so many others do."""
    kinds = shell * (draws.max(initial=0) + 1) + draws
    _, inverse, counts = np.unique(kinds, return_inverse=True, return_counts=True)
    return counts[inverse] >= worth


def _summed(rows: Counts) -> Doubles:
    """Whole shells and a draw together: the sum over all that the draw may bring."""
    scores = np.empty((len(rows), len(METRICS)))
    if not len(rows):
        return scores
    from medveil.stats.kernels.expectations import mixed_scores

    above, equal, _, _, shell, draws = rows.T
    sums = harmonic(int((above + equal + draws).max()) + 1)
    inverse = 1.0 / np.arange(1, max(len(sums), int(shell.max())) + 2)
    size = -(-len(rows) // (8 * available_cores()))

    def work(start: int) -> None:
        part = slice(start, start + size)
        mixed_scores(rows[part], sums, inverse, np.array(PLACES), scores[part])

    with ThreadPoolExecutor(available_cores()) as pool:
        list(pool.map(work, range(0, len(rows), size)))
    return scores
