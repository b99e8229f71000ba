"""Batches for online mining: some patients, several images of each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]


class PatientBatches:
    """Every batch holds `patients` patients with `images` images each.

    A patient is drawn in proportion to the square root of the number of images: long histories teach more, but
    must not crowd out the rest. Where a patient has fewer images than asked for, some come twice and differ by
    augmentation alone; patients with a single image take part in that way too, unless `singles` is off.
    """

    def __init__(self, codes: Codes, *, patients: int, images: int, singles: bool) -> None:
        rows = [np.flatnonzero(codes == code) for code in np.unique(codes)]
        self.rows = [own for own in rows if singles or len(own) > 1]
        self.codes = codes
        self.patients = min(patients, len(self.rows))
        self.images = images
        shares = np.sqrt([len(own) for own in self.rows])
        self.shares = shares / shares.sum()
        self.count = max(1, sum(len(own) for own in self.rows) // (self.patients * images))

    def __len__(self) -> int:
        return self.count

    def epoch(self, rng: np.random.Generator) -> Iterator[Codes]:
        """Row numbers, patient after patient, for as many batches as there are images to see once."""
        for _ in range(self.count):
            drawn = rng.choice(len(self.rows), self.patients, replace=False, p=self.shares)
            yield np.concatenate([self._some(self.rows[patient], rng) for patient in drawn])

    def _some(self, own: Codes, rng: np.random.Generator) -> Codes:
        rounds = -(-self.images // len(own))
        return np.concatenate([rng.permutation(own) for _ in range(rounds)])[: self.images]
