"""An adversary with pairs of their own refits heads on what they see, and links again.

What they see is one of two views. Of released embeddings they see what the defended heads put out; of a released
model also the frozen features before the heads, and then no defense of the heads can hinder them. The adversary
compares the vectors as they are, in directions of shared variation, and through heads trained by contrast, keeps what
works best on a fifth of their own patients, and never looks at the pairs under attack.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.refit.contrastive import refit_by_contrast
from medveil.attacks.refit.correlation import LinearHeads, as_they_are, correlation_heads
from medveil.attacks.refit.pairs import Codes, SeenPairs, some_of, split_own
from medveil.attacks.refit.settings import RefitSettings
from medveil.errors import NotMeasurable
from medveil.stats.estimate import Estimate
from medveil.stats.pools import random_pools
from medveil.stats.ranks import rank_pairs
from medveil.stats.shares import share

View = Literal["embeddings", "features"]
Progress = Callable[[int, int], None]

FEWEST = 20  # own pairs; with fewer nothing can be fitted and checked
CHECKED = 2000  # pairs at most that the adversary checks with: bounds the scores held in memory


@dataclass(frozen=True)
class RefitPoint:
    """Recall@1 of adversaries with `own` pairs, by pool ("100", "all"), and what they relied on."""

    own: int
    recall: dict[str, Estimate]
    means: tuple[str, ...]


@dataclass(frozen=True)
class Target:
    """The pairs under attack, how they are redrawn by `unit`, and which candidates do not compete (same `exclude`
    code)."""

    pairs: SeenPairs
    redraws: NDArray[np.float64]
    exclude: Codes | None = None
    unit: str = "patient"


def refit_attack(
    own: SeenPairs,
    target: Target,
    *,
    sizes: Sequence[int],
    pools: Sequence[int | None] = (100, None),
    settings: RefitSettings | None = None,
    seed: int,
    progress: Progress | None = None,
) -> tuple[RefitPoint, ...]:
    """Link the target's images to its reports with ever more own pairs; 0 stands for no refit at all.

    Sizes beyond what the adversary has, or too small to fit on, are left out.
    """
    settings = settings or RefitSettings()
    if own.images.shape[1] != target.pairs.images.shape[1] or own.reports.shape[1] != target.pairs.reports.shape[1]:
        raise ValueError("the adversary's pairs and the target's are not seen in the same view")
    useful = sorted({n for n in sizes if FEWEST <= n <= len(own) or (n == 0 and own.one_space)})
    if not useful:
        raise NotMeasurable(f"a refit needs at least {FEWEST} pairs of the adversary's own")
    points = []
    for done, count in enumerate(useful):
        points.append(_point(own, count, target, pools, settings, seed))
        if progress:
            progress(done + 1, len(useful))
    return tuple(points)


def refit(own: SeenPairs, *, settings: RefitSettings, seed: int) -> tuple[LinearHeads, str]:
    """The heads that link the adversary's own check pairs best, and what they are."""
    fitted, check = split_own(own, settings.own_check, seed=seed)
    check = check.take(np.arange(min(len(check), CHECKED)))
    score = partial(mean_reciprocal_rank, check)
    tries = [(as_they_are(own), "as they are")] if own.one_space else []
    tries += [
        (correlation_heads(fitted, dim=settings.dim, shrinkage=shrinkage), "shared variation")
        for shrinkage in settings.shrinkages
    ]
    start, means = max(tries, key=lambda heads: score(heads[0]))
    trained = refit_by_contrast(
        fitted, start, score=score, epochs=settings.epochs, patience=settings.patience, seed=seed
    )
    return (start, means) if trained is start else (trained, "contrast")


def mean_reciprocal_rank(pairs: SeenPairs, heads: LinearHeads) -> float:
    """How well heads link a few pairs among themselves; ties count as the middle of their places."""
    scores = heads.images(pairs.images) @ heads.reports(pairs.reports).T
    own = np.diagonal(scores)[:, None]
    places = 0.5 + (scores > own).sum(axis=1) + (scores == own).sum(axis=1) / 2
    return float((1 / places).mean())


def _point(
    own: SeenPairs,
    count: int,
    target: Target,
    pools: Sequence[int | None],
    settings: RefitSettings,
    seed: int,
) -> RefitPoint:
    repeats = settings.repeats if count else 1
    found, means = [], []
    for repeat in range(repeats):
        heads, what = as_they_are(own), "as they are"
        if count:
            heads, what = refit(some_of(own, count, seed=seed + repeat), settings=settings, seed=seed + repeat)
        found.append(recalls(heads, target, pools))
        means.append(what)
    recall = {
        _name(size): share(
            np.mean([values[at][0] for values in found], axis=0),
            target.pairs.patients,
            target.redraws,
            chance=found[0][at][1],
            unit=target.unit,
        )
        for at, size in enumerate(pools)
    }
    return RefitPoint(count, recall, tuple(means))


def recalls(heads: LinearHeads, target: Target, pools: Sequence[int | None]) -> list[tuple[NDArray[np.float64], float]]:
    """Every query's expected Recall@1 and its chance, pool by pool."""
    seen = target.pairs
    ranks, _ = rank_pairs(heads.images(seen.images), heads.reports(seen.reports), exclude=target.exclude)
    scores = [random_pools(ranks, size) for size in pools]
    return [(pool.values[:, 0], float(pool.chance[0])) for pool in scores]


def _name(size: int | None) -> str:
    return "all" if size is None else str(size)
