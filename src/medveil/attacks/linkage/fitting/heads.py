"""Heads in closed form, behind whatever images and reports look like; how far to trust the lessons is chosen on folds.

A pair's score is the mean cosine of both after the heads of `attacks.refit.correlation`, under a few settings: together
they do as well as the best of them, and nobody has to know which that is. Where a few pairs give themselves away and
the rest does not, all lessons together blur them: so the heads may be sharpened, again and again fitted to the lessons
that they link.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from medveil.attacks.linkage.fitting.views import Singles, Views
from medveil.attacks.refit.correlation import LinearHeads, correlation_heads
from medveil.attacks.refit.pairs import SeenPairs

Fold = tuple[NDArray[np.bool_], NDArray[np.bool_]]  # rows that teach, rows that are checked


class Setting(NamedTuple):
    """How far lessons are distrusted, in how many dimensions they are compared, and how often they are sharpened."""

    shrinkage: float
    width: int
    rounds: int = 0


Settings = tuple[Setting, ...]
WARY: Settings = (Setting(0.9, 32), Setting(0.6, 32))
TRUSTING: Settings = (Setting(0.5, 128), Setting(0.2, 128))
SHARP: Settings = (Setting(0.6, 128, rounds=6),)
_SURE = 2.0  # standard errors
_SHARPNESS = 4.0  # how much surer a score is that lies one standard deviation higher


class Heads:
    """Linear maps into spaces that images and reports share."""

    def __init__(self, each: Sequence[LinearHeads]) -> None:
        self._each = each

    @classmethod
    def fit(cls, lessons: Views, settings: Settings) -> Heads:
        pairs = SeenPairs(lessons.images, lessons.reports, lessons.patients)
        return cls([_fitted(pairs, setting) for setting in settings])

    def images(self, views: Views) -> Singles:
        return np.concatenate([heads.images(views.images) for heads in self._each], axis=1)

    def reports(self, views: Views) -> Singles:
        parts = [heads.reports(views.reports) for heads in self._each]
        return (np.concatenate(parts, axis=1) / len(parts)).astype(np.float32)


def chosen_heads(lessons: Views, folds: Sequence[Fold]) -> Settings:
    """What links best those who were not learned on; whatever is not wary must surely be better."""
    reached: dict[Settings, list[NDArray[np.float64]]] = {WARY: [], TRUSTING: [], SHARP: []}
    for taught, checked in folds:
        some, others = lessons.take(taught), lessons.take(checked)
        for settings, found in reached.items():
            heads = Heads.fit(some, settings)
            found.append(mean_reciprocal_ranks(heads.images(others) @ heads.reports(others).T))
    values = {settings: np.concatenate(found) for settings, found in reached.items()}
    gains = {settings: values[settings] - values[WARY] for settings in (TRUSTING, SHARP)}
    sure = [settings for settings, gain in gains.items() if gain.mean() > _SURE * gain.std() / np.sqrt(len(gain))]
    return max(sure, key=lambda settings: gains[settings].mean(), default=WARY)


def mean_reciprocal_ranks(scores: NDArray[np.floating]) -> NDArray[np.float64]:
    """Of every row its own column's; ties count as the middle of their places."""
    own = np.diagonal(scores)[:, None]
    places = 0.5 + (scores > own).sum(axis=1) + (scores == own).sum(axis=1) / 2
    return np.asarray(1 / places)


def _fitted(pairs: SeenPairs, setting: Setting) -> LinearHeads:
    heads = correlation_heads(pairs, dim=setting.width, shrinkage=setting.shrinkage)
    for _ in range(setting.rounds):
        sure = _linked_surely(heads.images(pairs.images) @ heads.reports(pairs.reports).T)
        heads = correlation_heads(pairs, dim=setting.width, shrinkage=setting.shrinkage, weights=sure)
    return heads


def _linked_surely(scores: NDArray[np.floating]) -> NDArray[np.float64]:
    """How sure the own report is among all, and the own image."""
    odds = _SHARPNESS * np.asarray(scores, dtype=np.float64) / max(float(scores.std()), 1e-12)
    return np.asarray(sum(np.diagonal(softmax(odds, axis=axis)) for axis in (0, 1)) + 1e-9)
