"""The pairs an identity attack is about: images of one person from two studies, and images of two persons."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.stats.group_codes import matching_pairs
from medveil.stats.kernels.grid import Codes
from medveil.stats.scores import score_pairs

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
MOST = 2_000_000  # pairs of two persons; more narrow no interval that patients have not already set


@dataclass(frozen=True)
class Side:
    """The images of one side of the comparison: vectors, what the table tells, and whose they are."""

    vectors: Singles
    control: Singles
    patients: Codes
    studies: Codes

    def __len__(self) -> int:
        return len(self.patients)


@dataclass(frozen=True)
class PairSet:
    """Pairs of a row of the left side and a row of the right side."""

    left: Codes
    right: Codes

    def scores(self, ours: Singles, theirs: Singles) -> Floats:
        return score_pairs(ours, theirs, self.left, self.right)

    def where(self, keep: NDArray[np.bool_]) -> PairSet:
        return PairSet(self.left[keep], self.right[keep])

    def __len__(self) -> int:
        return len(self.left)


def same_person(ours: Side, theirs: Side | None) -> PairSet:
    """All pairs of one person from two studies; within one cohort each pair once."""
    if theirs is None:
        left, right = matching_pairs(ours.patients, ours.patients, exclude=ours.studies)
        return PairSet(left, right).where(left < right)
    return PairSet(*matching_pairs(ours.patients, theirs.patients))


def two_persons(ours: Side, theirs: Side | None, *, seed: int, most: int = MOST) -> PairSet:
    """All pairs of two persons, or as many as `most` drawn evenly."""
    other = ours if theirs is None else theirs
    if len(ours) * len(other) <= 2 * most:
        left, right = (each.ravel() for each in np.indices((len(ours), len(other))))
    else:
        rng = np.random.default_rng([seed, 3])
        left, right = rng.integers(len(ours), size=most), rng.integers(len(other), size=most)
    keep = ours.patients[left] != other.patients[right]
    if theirs is None:
        keep &= left < right
    return PairSet(left.astype(np.intp), right.astype(np.intp)).where(keep)
