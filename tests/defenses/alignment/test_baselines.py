from __future__ import annotations

import numpy as np
import pytest

from medveil.defenses.alignment.baselines import erase_shared_directions, keep_findings, with_noise
from medveil.defenses.alignment.heads import HeadShape, random_heads

RNG = np.random.default_rng(0)
CAUSES = RNG.standard_normal((300, 3))
IMAGES, REPORTS = (
    (CAUSES @ RNG.standard_normal((3, n)) + 0.5 * RNG.standard_normal((300, n))).astype(np.float32) for n in (9, 7)
)
HEADS = random_heads(HeadShape(9, 8, hidden=8, groups=2), HeadShape(7, 8), seed=0)


def projected(embeddings: np.ndarray, basis: np.ndarray, strength: float) -> np.ndarray:
    left = embeddings - strength * embeddings @ basis @ basis.T
    return left / np.linalg.norm(left, axis=1, keepdims=True)


@pytest.mark.parametrize("strength", [1.0, 0.4])
def test_erasing_is_projecting_the_embeddings(strength: float) -> None:
    before = HEADS.embed_images(IMAGES).astype(float), HEADS.embed_reports(REPORTS).astype(float)
    covariance = np.cov(*(part.T for part in before), bias=True)[:8, 8:]
    left, _, right = np.linalg.svd(covariance)
    erased = erase_shared_directions(HEADS, IMAGES, REPORTS, directions=3, strength=strength)
    np.testing.assert_allclose(erased.embed_images(IMAGES), projected(before[0], left[:, :3], strength), atol=1e-5)
    np.testing.assert_allclose(erased.embed_reports(REPORTS), projected(before[1], right[:3].T, strength), atol=1e-5)


def test_erasing_removes_what_is_shared_and_leaves_the_start_alone() -> None:
    weights = HEADS.image[0].weight.clone()
    erased = erase_shared_directions(HEADS, IMAGES, REPORTS, directions=3, strength=1.0)

    def shared(images: np.ndarray, reports: np.ndarray) -> float:
        return float(np.linalg.norm(np.cov(images.T, reports.T)[:8, 8:]))

    before = shared(HEADS.embed_images(IMAGES), HEADS.embed_reports(REPORTS))
    assert shared(erased.embed_images(IMAGES), erased.embed_reports(REPORTS)) < 0.3 * before
    assert (HEADS.image[0].weight == weights).all()


def test_nothing_to_erase() -> None:
    for directions, strength in ((0, 1.0), (3, 0.0)):
        same = erase_shared_directions(HEADS, IMAGES, REPORTS, directions=directions, strength=strength)
        np.testing.assert_allclose(same.embed_images(IMAGES), HEADS.embed_images(IMAGES), atol=1e-6)


def test_only_the_directions_of_the_findings_are_kept() -> None:
    directions = np.random.default_rng(5).standard_normal((8, 2))
    twice = np.column_stack([directions, directions @ [0.5, -2.0]])  # a third that is a sum of the others
    kept = keep_findings(HEADS, twice)
    basis, _ = np.linalg.qr(directions)
    before = HEADS.embed_images(IMAGES).astype(float)
    reduced = before @ basis @ basis.T
    reduced /= np.linalg.norm(reduced, axis=1, keepdims=True)
    found = kept.embed_images(IMAGES)
    np.testing.assert_allclose(found, reduced, atol=1e-5)
    assert np.linalg.matrix_rank(found, tol=1e-4) == 2
    np.testing.assert_array_equal(kept.embed_reports(REPORTS), HEADS.embed_reports(REPORTS))
    # which of two findings an image shows more of is read as before
    wanted = before @ directions
    assert ((found @ directions > 0) == (wanted > 0)).all()


def test_linear_heads_without_a_bias_are_reduced_too() -> None:
    linear = random_heads(HeadShape(9, 8), HeadShape(7, 8), seed=1)
    found = keep_findings(linear, np.eye(8)[:, :3]).embed_images(IMAGES)
    assert np.abs(found[:, 3:]).max() < 1e-6


def test_noise_has_the_length_asked_for() -> None:
    embeddings = np.zeros((4000, 64), np.float32)
    embeddings[:, 0] = 1
    noisy = with_noise(embeddings, 0.5, np.random.default_rng(1))
    np.testing.assert_allclose(np.linalg.norm(noisy, axis=1), 1, atol=1e-5)
    # a unit vector plus noise of length 0.5 at right angles: cosine 1 / √1.25
    assert noisy[:, 0].mean() == pytest.approx(1 / np.sqrt(1.25), abs=0.01)
    np.testing.assert_array_equal(noisy, with_noise(embeddings, 0.5, np.random.default_rng(1)))
