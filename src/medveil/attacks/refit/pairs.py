"""Image-report pairs as an adversary sees them: two tables of vectors, not necessarily of one space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class SeenPairs:
    """Row i of both is a pair and belongs to patient `patients[i]`."""

    images: Vectors
    reports: Vectors
    patients: Codes

    def __post_init__(self) -> None:
        if not len(self.images) == len(self.reports) == len(self.patients):
            raise ValueError("images, reports and patients differ in number")
        if not (np.isfinite(self.images).all() and np.isfinite(self.reports).all()):
            raise ValueError("a vector is not finite")

    def __len__(self) -> int:
        return len(self.patients)

    @property
    def one_space(self) -> bool:
        """Whether images and reports can be compared as they are."""
        return self.images.shape[1] == self.reports.shape[1]

    def take(self, rows: Codes | NDArray[np.bool_]) -> SeenPairs:
        return SeenPairs(self.images[rows], self.reports[rows], self.patients[rows])


def some_of(pairs: SeenPairs, count: int, *, seed: int) -> SeenPairs:
    """`count` pairs of whole patients in random order (the last one may be cut); more are a superset of fewer."""
    rng = np.random.default_rng([seed, 1])
    place = rng.permutation(int(pairs.patients.max(initial=-1)) + 1)[pairs.patients]
    return pairs.take(np.argsort(place, kind="stable")[:count])


def split_own(pairs: SeenPairs, share: float, *, seed: int) -> tuple[SeenPairs, SeenPairs]:
    """The adversary's own patients, dealt into those to fit on and those to check with."""
    known, codes = np.unique(pairs.patients, return_inverse=True)
    place = np.random.default_rng([seed, 2]).permutation(len(known))[codes]
    checked = place < max(1, round(share * len(known)))
    return pairs.take(~checked), pairs.take(checked)
