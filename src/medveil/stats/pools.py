"""How well every query finds its own answer in random pools of any size, by closed form instead of sampling.

A query's own answer and N - 1 of its K competitors, drawn without replacement, make a pool. Of the K, b score above
the own answer, so the number of them in the pool is hypergeometric, and with it the place of the own answer. One count
a query therefore stands for every pool size and infinitely many repeats. Candidates that score exactly the same come
in random order ("expected", the default), after the own answer ("best") or before it ("worst").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from medveil.errors import SettingsError

if TYPE_CHECKING:
    from medveil.stats.ranks import Ranks
    from medveil.stats.retrieval import Ties

Doubles = NDArray[np.float64]
Counts = NDArray[np.int64]

PLACES = (1, 5, 10)
METRICS = (*(f"Recall@{k}" for k in PLACES), "MRR")


@dataclass(frozen=True)
class PoolScores:
    """What every query can expect of a pool."""

    values: Doubles  # queries x METRICS
    rank: Doubles  # expected place of the own answer, from 1
    chance: Doubles  # METRICS: what blind guessing scores, on average over the queries
    size: Counts  # candidates in each query's pool, its own answer included

    @cached_property
    def chance_rank(self) -> float:
        """The median rank of blind guessing."""
        return float((np.median(self.size) + 1) / 2)


def random_pools(ranks: Ranks, size: int | None, *, ties: Ties = "expected") -> PoolScores:
    """Every query against pools of `size` candidates, or against all (None)."""
    above, equal, others = (counts[:, 0] for counts in settled(one_shell(ranks), ties))
    drawn = draws_of(others, size)
    values = certain_scores(above, equal) if size is None else drawn_scores(above, equal, others, drawn)
    share = drawn / np.maximum(others, 1)
    return PoolScores(values, 1 + share * (above + equal / 2), mean_chance(drawn + 1), drawn + 1)


def one_shell(ranks: Ranks) -> Ranks:
    """The same without regard to the distance of profiles."""
    if ranks.others.shape[1] == 1:
        return ranks
    return replace(ranks, **{name: counts.sum(axis=1, keepdims=True) for name, counts in vars(ranks).items()})


def chance(sizes: Counts) -> Doubles:
    """Exactly what blind guessing scores in pools of these sizes: sizes x METRICS."""
    return certain_scores(np.zeros_like(sizes), sizes - 1)


def mean_chance(sizes: Counts) -> Doubles:
    """The mean of that over queries."""
    pools, counts = np.unique(sizes, return_counts=True)
    return np.average(chance(pools), axis=0, weights=counts)


def settled(ranks: Ranks, ties: Ties) -> tuple[Counts, Counts, Counts]:
    """Candidates above, equal and in all, after ties were put below or above the own answer where that was asked."""
    none = np.zeros_like(ranks.equal)
    match ties:
        case "best":
            return ranks.above, none, ranks.others
        case "worst":
            return ranks.above + ranks.equal, none, ranks.others
        case _:
            return ranks.above, ranks.equal, ranks.others


def draws_of(others: Counts, size: int | None) -> Counts:
    """How many competitors of each query a pool holds."""
    if size is None:
        return others
    if size < 2:
        raise SettingsError("a pool holds at least two candidates, the right one and another")
    fewest = int(others.min(initial=size)) + 1
    if size > fewest:
        raise SettingsError(
            f"pools of {size:,} are larger than what there is: some queries have {fewest:,} candidates only; "
            "choose smaller pools or all"
        )
    return np.full_like(others, size - 1)


def certain_scores(above: Counts, equal: Counts) -> Doubles:
    """Where nothing is left to a draw: queries x METRICS, with ties in random order."""
    scores = np.empty((len(above), len(METRICS)))
    for column, k in enumerate(PLACES):
        scores[:, column] = np.clip((k - above) / (equal + 1), 0, 1)
    scores[:, -1] = mean_reciprocal(above, equal)
    return scores


def mean_reciprocal(above: NDArray[Any], equal: NDArray[Any]) -> Doubles:
    """The mean of 1/rank over the places that ties leave open, above + 1 to above + equal + 1."""
    if not equal.any():
        return 1.0 / (above + 1)
    sums = harmonic(int((above + equal).max()) + 1)
    return np.where(equal > 0, (sums[above + equal + 1] - sums[above]) / (equal + 1), 1.0 / (above + 1))


@lru_cache(maxsize=4)
def harmonic(most: int) -> Doubles:
    """1 + 1/2 + … + 1/k for every k up to `most`, from k = 0."""
    sums = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, most + 1))])
    sums.flags.writeable = False
    return sums


def drawn_scores(above: Counts, equal: Counts, others: Counts, drawn: Counts) -> Doubles:
    """Queries x METRICS for pools that draw `drawn` of `others`.

    A random order of ties makes every number of candidates from `above` to `above + equal` as likely to come first.
    """
    scores = np.empty((len(above), len(METRICS)))
    for rows, population, draws in _alike(others, drawn):
        low, ties = above[rows], equal[rows]
        first, last = int(low.min()), int((low + ties).max())
        if len(low) + int(ties.sum()) <= last + 1 - first:
            starts = np.cumsum(ties + 1) - ties - 1
            each = np.arange(len(low) + int(ties.sum())) + np.repeat(low - starts, ties + 1)
            sums = np.add.reduceat(_closed_form(each, population, draws, last), starts, axis=0)
            scores[rows] = sums / (ties + 1)[:, None]
        else:  # every number of candidates ahead once, and sums over stretches of them
            table = _closed_form(np.arange(first, last + 1), population, draws, last)
            found, tied = np.take(table, low - first, axis=0), np.flatnonzero(ties)
            sums = np.concatenate([np.zeros((1, len(METRICS))), np.cumsum(table, axis=0)])
            low, ties = low[tied] - first, ties[tied]
            found[tied] = (np.take(sums, low + ties + 1, axis=0) - np.take(sums, low, axis=0)) / (ties + 1)[:, None]
            scores[rows] = found
    return scores


def _closed_form(ahead: Counts, population: int, draws: int, most: int) -> Doubles:
    from medveil.stats.kernels.expectations import closed_form

    scores = np.empty((len(ahead), len(METRICS)))
    none = np.exp(_log_none_drawn(population, draws, most))
    some_of_more = -np.expm1(_log_none_drawn(population + 1, draws + 1, most + 1))
    closed_form(ahead, none, some_of_more, (draws, population), np.array(PLACES), scores)
    return scores


def _alike(others: Counts, drawn: Counts) -> Sequence[tuple[Any, int, int]]:
    """Rows that draw as many from as many."""
    if not len(others):
        return []
    if (others == others[0]).all() and (drawn == drawn[0]).all():
        return [(slice(None), int(others[0]), int(drawn[0]))]
    order = np.lexsort((drawn, others))
    turns = np.flatnonzero((np.diff(others[order]) != 0) | (np.diff(drawn[order]) != 0)) + 1
    return [(rows, int(others[rows[0]]), int(drawn[rows[0]])) for rows in np.split(order, turns)]


def _log_none_drawn(population: int, draws: int, most: int) -> Doubles:
    """Log of the chance that none of b is drawn, for b from 0 to `most`: a product, so small shares stay exact."""
    logs = np.full(most + 1, -np.inf)
    logs[0] = 0.0
    last = min(most, population - draws)
    if last > 0:
        logs[1 : last + 1] = np.cumsum(np.log1p(-draws / (population - np.arange(last, dtype=np.float64))))
    return logs
