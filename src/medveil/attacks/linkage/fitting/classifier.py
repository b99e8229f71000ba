"""Which findings a film shows, by a classifier fitted to films whose reports are known.

The lessons are what the reports of the teaching half state (`encoders.findings.report_rules`). A pair's score is how
much likelier the report's findings are on this film than on any: the sum over findings of the log ratio.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

from medveil.attacks.linkage.fitting.heads import Fold, mean_reciprocal_ranks
from medveil.attacks.linkage.fitting.views import Floats, Singles, Views

RIDGES = (100.0, 30.0, 10.0)  # how little a finding's weights may grow
FEWEST = 4  # films with a finding, and without it, that teach it
_STEPS = 60


class FindingsOnFilms:
    """Logistic regression of every finding that is taught often enough, behind the axes of the images."""

    def __init__(
        self, taught: NDArray[np.bool_], weights: Floats, offsets: Floats, common: Floats, scale: float
    ) -> None:
        self._taught, self._weights, self._offsets = taught, weights, offsets
        self._common, self._scale = common, scale

    @classmethod
    def fit(cls, lessons: Views, ridge: float) -> FindingsOnFilms | None:
        """None where no finding is taught often enough."""
        assert lessons.findings is not None
        stated = lessons.findings.sum(axis=0)
        taught = (stated >= FEWEST) & (stated <= len(lessons) - FEWEST)
        if not taught.any():
            return None
        scale = float(np.sqrt((lessons.images**2).mean())) or 1.0
        films, truth = lessons.images.astype(np.float64) / scale, lessons.findings[:, taught].astype(float)
        common = truth.mean(axis=0)
        shape = films.shape[1] + 1, truth.shape[1]

        def loss(numbers: Floats) -> tuple[float, Floats]:
            weights, offsets = np.split(numbers.reshape(shape), [films.shape[1]])
            odds = films @ weights + offsets
            wrong = expit(odds) - truth
            value = np.logaddexp(0, odds).sum() - (truth * odds).sum() + ridge * (weights**2).sum() / 2
            return float(value), np.concatenate(
                [films.T @ wrong + ridge * weights, wrong.sum(0, keepdims=True)]
            ).ravel()

        start = np.zeros(shape)
        start[-1] = logit(common)
        found = minimize(loss, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": _STEPS}).x.reshape(shape)
        return cls(taught, found[:-1], found[-1], common, scale)

    def images(self, views: Views) -> Singles:
        odds = views.images / self._scale @ self._weights + self._offsets
        absent = -np.logaddexp(0, odds) - np.log1p(-self._common)
        return np.c_[odds - logit(self._common), absent.sum(axis=1)].astype(np.float32)

    def reports(self, views: Views) -> Singles:
        assert views.findings is not None
        return np.c_[views.findings[:, self._taught], np.ones(len(views))].astype(np.float32)


def chosen_ridge(lessons: Views, folds: Sequence[Fold]) -> float | None:
    """The ridge that links best those who were not learned on; None where findings teach nothing."""
    if lessons.findings is None:
        return None
    reached = dict.fromkeys(RIDGES, 0.0)
    for ridge in RIDGES:
        for taught, checked in folds:
            fitted = FindingsOnFilms.fit(lessons.take(taught), ridge)
            if fitted is None:
                return None
            views = lessons.take(checked)
            reached[ridge] += float(mean_reciprocal_ranks(fitted.images(views) @ fitted.reports(views).T).sum())
    return max(reached, key=lambda ridge: reached[ridge])
