"""The images to train on, in memory: prepared pixels, patient numbers, and which patients are kept for validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from medveil.encoders.identity.preparing import prepare
from medveil.errors import InputError, Quarantined

if TYPE_CHECKING:
    from medveil.cohort import Cohort

VALIDATION = ("val", "validate", "validation")


@dataclass(frozen=True)
class TrainingImages:
    """`pixels` (n × 256 × 256, 8 bits), a number for every patient, and the rows kept for validation."""

    pixels: NDArray[np.uint8]
    patients: NDArray[np.int64]
    validation: NDArray[np.bool_]
    set_aside: int = 0

    def __post_init__(self) -> None:
        kept = set(self.patients[self.validation].tolist())
        used = set(self.patients[~self.validation].tolist())
        if not kept or not used:
            raise InputError("training needs images in the split 'train' and in the split 'val'; assign both")
        if shared := len(kept & used):
            raise InputError(f"{shared} patients are in the split 'train' and in 'val'; split the cohort by patient")

    def part(self, *, validation: bool) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Pixels and patient numbers (from 0, without gaps) of one part."""
        rows = self.validation == validation
        _, codes = np.unique(self.patients[rows], return_inverse=True)
        return self.pixels[rows], codes.astype(np.int64)


def from_cohort(cohort: Cohort) -> TrainingImages:
    """The train and val rows of a cohort; what cannot be read is left out and counted."""
    wanted = np.flatnonzero(cohort.table["split"].isin(("train", *VALIDATION)).to_numpy())
    pixels: list[NDArray[np.uint8]] = []
    rows: list[int] = []
    for row in wanted:
        try:
            pixels.append(prepare(cohort.image(int(row))))
        except Quarantined:
            continue
        rows.append(int(row))
    if not rows:
        raise InputError("no readable image is in the split 'train' or 'val'; assign splits by patient first")
    table = cohort.table.iloc[rows]
    _, patients = np.unique(table["patient_id"].astype(str).to_numpy(), return_inverse=True)
    validation = table["split"].isin(VALIDATION).to_numpy()
    return TrainingImages(np.stack(pixels), patients.astype(np.int64), validation, len(wanted) - len(rows))
