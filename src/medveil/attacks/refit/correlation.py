"""Heads in closed form: the directions in which images and reports vary together (canonical correlation, shrunk)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.refit.pairs import SeenPairs, Vectors
from medveil.stats.factorisation import eigenvectors, singular_vectors

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LinearHeads:
    """What is subtracted from and multiplied with either side to bring both into one space."""

    image_centre: Floats
    image_map: Floats  # dimensions of an image vector × dimensions of the space
    report_centre: Floats
    report_map: Floats

    def images(self, vectors: Vectors) -> Vectors:
        return _unit((vectors - self.image_centre) @ self.image_map)

    def reports(self, vectors: Vectors) -> Vectors:
        return _unit((vectors - self.report_centre) @ self.report_map)


def as_they_are(pairs: SeenPairs) -> LinearHeads:
    """No heads at all: the vectors are compared as they are."""
    width = pairs.images.shape[1]
    return LinearHeads(np.zeros(width), np.eye(width), np.zeros(width), np.eye(width))


def correlation_heads(pairs: SeenPairs, *, dim: int, shrinkage: float, weights: Floats | None = None) -> LinearHeads:
    """Whiten both sides with this much shrinkage towards equal variance, and keep the directions that agree most.

    `weights` say how much each pair counts in what goes together. Each kept direction counts by the root of its
    correlation on either side, so that scores weigh it by all of it.
    """
    image_centre, report_centre = pairs.images.mean(0, np.float64), pairs.reports.mean(0, np.float64)
    images, reports = pairs.images - image_centre, pairs.reports - report_centre
    left, right = _whitening(images, shrinkage), _whitening(reports, shrinkage)
    share = np.full(len(pairs), 1 / len(pairs)) if weights is None else weights / weights.sum()
    together = (images * share[:, None]).T @ reports
    u, correlations, vt = singular_vectors(left.T @ together @ right)
    kept = min(dim, len(correlations))
    roots = np.sqrt(correlations[:kept])
    return LinearHeads(image_centre, left @ u[:, :kept] * roots, report_centre, right @ vt[:kept].T * roots)


def _whitening(centred: Floats, shrinkage: float) -> Floats:
    """The inverse root of the shrunk covariance."""
    covariance = centred.T @ centred / len(centred)
    width = len(covariance)
    covariance = (1 - shrinkage) * covariance + shrinkage * np.trace(covariance) / width * np.eye(width)
    values, vectors = eigenvectors(covariance)
    safe = np.maximum(values, 1e-9 * max(values[-1], 1e-30))
    return (vectors / np.sqrt(safe)) @ vectors.T


def _unit(vectors: Floats) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.maximum(lengths, 1e-30)).astype(np.float32)
