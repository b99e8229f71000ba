"""How well vectors tell patients apart, during training: the nearest image, and all pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.stats.auc import WeightedAUC


@dataclass(frozen=True)
class Scores:
    """Share of images whose nearest other image is of the same patient, and the area over all pairs."""

    precision_at_1: float
    pair_auc: float


def score(similarity: NDArray[np.float32], patients: NDArray[np.int64]) -> Scores:
    """Of a square matrix of similarities; NaN where nobody has two images or there is one patient only."""
    first, second = np.triu_indices(len(patients), 1)
    same = patients[first] == patients[second]
    auc = WeightedAUC(similarity[first, second].astype(np.float64), same)()
    others = np.where(np.eye(len(patients), dtype=bool), -np.inf, similarity)
    has_other = np.bincount(patients)[patients] > 1
    hits = patients[others.argmax(1)] == patients
    return Scores(float(hits[has_other].mean()) if has_other.any() else float("nan"), auc)
