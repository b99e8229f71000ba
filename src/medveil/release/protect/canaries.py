"""Canaries: pairs that belong together only if training was told so, planted to see how much of them shows.

A canary's image and report are random directions, as long as public features are but without what those have in
common, so nothing but its own presence pulls them together, and what others do to the heads hardly touches it. Nothing
of the people to protect goes into it: a length of theirs would be told by every canary at once, outside the books.
Each goes into the training data by its own fair coin. After training, a canary that was in should have come closer to
its own partner than to the others'.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.alignment.heads import Heads
from medveil.release.protect.paired_features import PairedFeatures, ProtectionData, Vectors

CANARIES = 1000


@dataclass(frozen=True)
class Canaries:
    """Row i of both is a canary; `included` is its coin."""

    images: Vectors
    reports: Vectors
    included: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.included)

    def planted(self, train: PairedFeatures) -> tuple[Vectors, Vectors, NDArray[np.intp]]:
        """Features and patients of the training pairs with the included canaries, each a patient of its own."""
        ours = np.flatnonzero(self.included)
        return (
            np.concatenate([train.images, self.images[ours]]),
            np.concatenate([train.reports, self.reports[ours]]),
            np.concatenate([train.patients, train.units + np.arange(len(ours))]),
        )


def make_canaries(data: ProtectionData, count: int = CANARIES, *, seed: int) -> Canaries:
    """`count` canaries whose features are as long as the public ones are, or as random ones where there are none."""
    rng = np.random.default_rng([seed, 3])
    widths = data.train.images.shape[1], data.train.reports.shape[1]
    public = (None, None) if data.public is None else (data.public.images, data.public.reports)
    images, reports = (_directions(*both, count, rng) for both in zip(public, widths, strict=True))
    return Canaries(images, reports, rng.random(count) < 0.5)


def canary_scores(before: Heads, after: Heads, canaries: Canaries) -> NDArray[np.float64]:
    """How much nearer each canary came to its partner than to the others' partners, and they to its image."""
    change = _similarities(after, canaries) - _similarities(before, canaries)
    return np.diagonal(change) - change.mean(axis=0) - change.mean(axis=1)


def _directions(like: Vectors | None, width: int, count: int, rng: np.random.Generator) -> Vectors:
    length = np.sqrt(width) if like is None else np.linalg.norm(like, axis=1).mean(dtype=np.float64)
    drawn = rng.normal(size=(count, width))
    drawn *= length / np.linalg.norm(drawn, axis=1, keepdims=True)
    return drawn.astype(np.float32)


def _similarities(heads: Heads, canaries: Canaries) -> NDArray[np.float64]:
    images, reports = heads.embed_images(canaries.images), heads.embed_reports(canaries.reports)
    return (images @ reports.T).astype(np.float64)
