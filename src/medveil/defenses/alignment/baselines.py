"""Defenses that train no head: erasing shared directions, keeping those of the findings, noise on the embeddings."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from medveil.defenses.alignment.heads import ROWS, Embedding, Features, Head, Heads
from medveil.stats.factorisation import singular_vectors

Floats = NDArray[np.float64]
FLAT = 1e-9  # of the largest: what rounding leaves of a direction that is a sum of others


def erase_shared_directions(
    heads: Heads, image_features: Features, report_features: Features, *, directions: int, strength: float
) -> Heads:
    """Heads without the directions in which the embeddings of a pair vary together most.

    They are the leading singular vectors of the cross-covariance: one set on the image side, one on the report side.
    Shrinking a direction of an embedding before it is scaled to unit length is linear, so it goes into the last layer.
    """
    images, _, reports = singular_vectors(_cross_covariance(heads, image_features, report_features))
    erased = heads.copy()
    _shrink(erased.image, images[:, :directions], strength)
    _shrink(erased.report, reports[:directions].T, strength)
    return erased


def _cross_covariance(heads: Heads, image_features: Features, report_features: Features) -> Floats:
    products = np.zeros((heads.dim, heads.dim))
    image_sum, report_sum = np.zeros(heads.dim), np.zeros(heads.dim)
    for start in range(0, len(image_features), ROWS):
        part = slice(start, start + ROWS)
        images = heads.embed_images(image_features[part]).astype(np.float64)
        reports = heads.embed_reports(report_features[part]).astype(np.float64)
        products += images.T @ reports
        image_sum += images.sum(0)
        report_sum += reports.sum(0)
    count = len(image_features)
    return products / count - np.outer(image_sum, report_sum) / count**2


def keep_findings(heads: Heads, directions: Floats) -> Heads:
    """Heads whose image embeddings have no part outside these directions (dimensions × directions); reports stay.

    A probe's log odds depend on these parts of an embedding alone, so they can still be read, but for the length that
    is lost. What links an image to its report beside them is gone, and no change of the report head brings it back.
    """
    basis, values, _ = singular_vectors(directions)
    kept = basis[:, values > FLAT * values.max(initial=0.0)]
    reduced = heads.copy()
    _through(reduced.image, kept @ kept.T)
    return reduced


def _shrink(head: Head, basis: Floats, strength: float) -> None:
    _through(head, np.eye(len(basis)) - strength * basis @ basis.T)


def _through(head: Head, matrix: Floats) -> None:
    """The head with this matrix behind its last layer."""
    shrinking = torch.from_numpy(matrix)
    last = head[-1]
    assert isinstance(last, nn.Linear)
    with torch.no_grad():
        last.weight.copy_(shrinking @ last.weight.double())
        if last.bias is not None:
            last.bias.copy_(shrinking @ last.bias.double())


def with_noise(embeddings: Embedding, noise: float, rng: np.random.Generator) -> Embedding:
    """Gaussian noise of expected length `noise` (root mean square) on each embedding, scaled back to unit length."""
    scale = np.float32(noise / np.sqrt(embeddings.shape[1]))
    noisy = embeddings + scale * rng.standard_normal(embeddings.shape, dtype=np.float32)
    return np.asarray(noisy / np.linalg.norm(noisy, axis=1, keepdims=True), dtype=np.float32)
