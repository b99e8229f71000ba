"""From a similarity to the probability that two images show the same person.

What two images say is a likelihood ratio: how much likelier this similarity is between images of one person
than between images of two. The probability also depends on how likely a match was before anybody looked, the
prior: among a million strangers the same similarity means less. The ratio follows the beta family (Kull, Silva
Filho and Flach 2017), which rises with the similarity and has three numbers to fit.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

Floats = NDArray[np.float64]
BINS = 10


@dataclass(frozen=True)
class Calibration:
    """log ratio = a·log(u) − b·log(1 − u) + c, with u the cosine brought to 0..1."""

    a: float
    b: float
    c: float

    @classmethod
    def fit(cls, same: Floats, other: Floats) -> Calibration:
        """To similarities of pairs of one person and of two, both sides weighing the same."""
        features = np.concatenate([_features(same), _features(other)])
        signs = np.repeat([1.0, -1.0], [len(same), len(other)])
        weights = np.repeat([0.5 / len(same), 0.5 / len(other)], [len(same), len(other)])

        def loss(numbers: Floats) -> tuple[float, Floats]:
            margins = signs * (features @ numbers)
            ridge = 1e-6 * numbers  # perfectly separated scores would otherwise run to infinity
            slope = -weights * signs * expit(-margins)
            return float(weights @ np.logaddexp(0, -margins) + ridge @ numbers / 2), features.T @ slope + ridge

        found = minimize(loss, np.array([1.0, 1.0, 0.0]), jac=True, bounds=[(0, None), (0, None), (None, None)])
        return cls(*(float(number) for number in found.x))

    def probability(self, scores: Floats, prior: float) -> Floats:
        """That both images show the same person, if a share `prior` of such pairs does."""
        return np.asarray(expit(_features(scores) @ np.array([self.a, self.b, self.c]) + logit(prior)))

    def to_json(self) -> dict[str, float]:
        return asdict(self)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Calibration:
        return cls(float(stored["a"]), float(stored["b"]), float(stored["c"]))


def _features(scores: Floats) -> Floats:
    share = np.clip((1 + np.asarray(scores, dtype=np.float64)) / 2, 1e-6, 1 - 1e-6)
    return np.stack([np.log(share), -np.log1p(-share), np.ones_like(share)], axis=1)


class CalibrationError:
    """How far stated probabilities lie from what came true, on average, in ten bins of equal width."""

    def __init__(self, probabilities: Floats, true: NDArray[np.bool_]) -> None:
        self._bins = np.minimum((probabilities * BINS).astype(int), BINS - 1)
        self._gap = probabilities - true

    def __call__(self, weights: Floats | None = None) -> float:
        weights = np.ones(len(self._gap)) if weights is None else weights
        gaps = np.bincount(self._bins, weights * self._gap, minlength=BINS)
        total = weights.sum()
        return float(np.abs(gaps).sum() / total) if total > 0 else float("nan")


def reliability(probabilities: Floats, true: NDArray[np.bool_], weights: Floats) -> tuple[Floats, Floats]:
    """Mean probability stated and share that came true, bin by bin; bins nobody is in are left out."""
    bins = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    totals = np.bincount(bins, weights, minlength=BINS)
    filled = totals > 0
    stated = np.bincount(bins, weights * probabilities, minlength=BINS)[filled] / totals[filled]
    came_true = np.bincount(bins, weights * true, minlength=BINS)[filled] / totals[filled]
    return stated, came_true
