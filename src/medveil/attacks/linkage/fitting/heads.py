"""Heads in closed form, behind whatever images and reports look like; how far to trust the lessons is chosen on folds.

A pair's score is the cosine of both after the heads of `attacks.refit.correlation`. Where a few pairs give themselves
away and the rest does not, all lessons together blur them: so the heads may be sharpened, again and again fitted to
the lessons that they link.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from medveil.attacks.linkage.fitting.views import Singles, Views
from medveil.attacks.refit.correlation import LinearHeads, correlation_heads
from medveil.attacks.refit.pairs import SeenPairs

SHRINKAGES = (0.99, 0.9, 0.6, 0.2)
WIDTHS = (8, 32, 128)
ROUNDS = 6
_SHARP = 4.0  # how much surer a score is that lies one standard deviation higher

Fold = tuple[NDArray[np.bool_], NDArray[np.bool_]]  # rows that teach, rows that are checked


class Heads:
    """Two linear maps into one space."""

    def __init__(self, heads: LinearHeads) -> None:
        self._heads = heads

    @classmethod
    def fit(cls, lessons: Views, shrinkage: float, width: int, rounds: int) -> Heads:
        pairs = SeenPairs(lessons.images, lessons.reports, lessons.patients)
        found = cls(correlation_heads(pairs, dim=width, shrinkage=shrinkage))
        for _ in range(rounds):
            weights = _linked_surely(found.images(lessons) @ found.reports(lessons).T)
            found = cls(correlation_heads(pairs, dim=width, shrinkage=shrinkage, weights=weights))
        return found

    def images(self, views: Views) -> Singles:
        return self._heads.images(views.images)

    def reports(self, views: Views) -> Singles:
        return self._heads.reports(views.reports)


def chosen_heads(lessons: Views, folds: Sequence[Fold]) -> tuple[float, int, int]:
    """The shrinkage, width and rounds of sharpening that link best those who were not learned on."""
    settings = [*product(SHRINKAGES, WIDTHS, (0,)), *product(SHRINKAGES[1:], WIDTHS[-1:], (ROUNDS,))]
    reached = dict.fromkeys(settings, 0.0)
    for taught, checked in folds:
        some, others = lessons.take(taught), lessons.take(checked)
        for setting in settings:
            reached[setting] += _linked(Heads.fit(some, *setting), others)
    return max(reached, key=lambda setting: reached[setting])


def _linked_surely(scores: NDArray[np.floating]) -> NDArray[np.float64]:
    """How sure the own report is among all, and the own image."""
    odds = _SHARP * np.asarray(scores, dtype=np.float64) / max(float(scores.std()), 1e-12)
    return np.asarray(sum(np.diagonal(softmax(odds, axis=axis)) for axis in (0, 1)) + 1e-9)


def _linked(heads: Heads, views: Views) -> float:
    return float(mean_reciprocal_ranks(heads.images(views) @ heads.reports(views).T).sum())


def mean_reciprocal_ranks(scores: NDArray[np.floating]) -> NDArray[np.float64]:
    """Of every row its own column's; ties count as the middle of their places."""
    own = np.diagonal(scores)[:, None]
    places = 0.5 + (scores > own).sum(axis=1) + (scores == own).sum(axis=1) / 2
    return np.asarray(1 / places)
