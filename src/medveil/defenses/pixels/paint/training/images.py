"""The images to train on, in memory: gray pixels, patient numbers, and which patients are kept for validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.cohort.input import InputOptions, read_cohort
from medveil.errors import InputError, Quarantined

SIDE = 512  # larger images are shrunk to it
MOST = 8000  # images; 2 GB in memory
VALIDATION = ("val", "validate", "validation")
KEPT = 0.1  # of the patients, for validation, where the data have no splits


@dataclass(frozen=True)
class TrainingImages:
    """`pixels` (n x 512 x 512, 8 bits) hold each image in the upper left corner, `shapes` its height and width."""

    pixels: NDArray[np.uint8]
    shapes: NDArray[np.int64]
    patients: NDArray[np.int64]
    validation: NDArray[np.bool_]
    set_aside: int = 0

    @classmethod
    def of(
        cls, images: Iterable[NDArray[Any]], patients: NDArray[Any], validation: NDArray[np.bool_], set_aside: int = 0
    ) -> TrainingImages:
        pixels = np.zeros((len(patients), SIDE, SIDE), np.uint8)
        shapes = np.zeros((len(patients), 2), np.int64)
        for row, image in enumerate(images):
            gray = prepare(image)
            shapes[row] = gray.shape
            pixels[row, : gray.shape[0], : gray.shape[1]] = gray
        _, codes = np.unique(patients, return_inverse=True)
        return cls(pixels, shapes, codes.astype(np.int64), validation, set_aside)

    def __post_init__(self) -> None:
        kept = set(self.patients[self.validation].tolist())
        used = set(self.patients[~self.validation].tolist())
        if not kept or not used:
            raise InputError("training needs images to learn from and others for validation; give more patients")
        if shared := len(kept & used):
            raise InputError(f"{shared} patients are in the split 'train' and in 'val'; split the cohort by patient")

    def large_enough(self, side: int, *, validation: bool) -> NDArray[np.int64]:
        """Rows of one part from which a square of this side can be cut."""
        fits = self.shapes.min(1) >= side
        return np.flatnonzero(fits & (self.validation == validation))


def prepare(image: NDArray[Any]) -> NDArray[np.uint8]:
    """Eight bits, from the darkest to the brightest pixel; at most 512 pixels along a side, averaged where shrunk."""
    from PIL import Image

    gray = image
    if image.dtype != np.uint8:
        low, high = int(image.min()), int(image.max())
        gray = ((image - np.float32(low)) * np.float32(255 / max(1, high - low))).astype(np.uint8)
    factor = SIDE / max(gray.shape)
    if factor >= 1:
        return gray
    height, width = (max(1, round(side * factor)) for side in gray.shape)
    return np.asarray(Image.fromarray(gray).resize((width, height), Image.Resampling.BOX))


def read_images(
    source: Path,
    *,
    layout: str | None = None,
    options: InputOptions | None = None,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> TrainingImages:
    """From a data set in any layout; pictures of which nothing says whose they are each count as a patient."""
    cohort = read_cohort(source, layout=layout, options=options)
    patients = cohort.table["patient_id"].astype(str).to_numpy()
    return _read(cohort.image, patients, cohort.table["split"].astype(str).to_numpy(), seed, progress)


def _read(
    load: Callable[[int], NDArray[Any]],
    patients: NDArray[Any],
    split: NDArray[Any] | None,
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> TrainingImages:
    """By splits 'train' and 'val' where both are there, else with a tenth of the patients for validation."""
    rng = np.random.default_rng([seed, 0x1A])
    kept = np.isin(split, VALIDATION) if split is not None else np.zeros(len(patients), bool)
    by_split = split is not None and kept.any() and bool((split == "train").any())
    rows = np.flatnonzero(kept | (split == "train")) if by_split else np.arange(len(patients))
    if len(rows) > MOST:
        rows = np.sort(rng.permutation(rows)[:MOST])
    images: list[NDArray[np.uint8]] = []
    good: list[int] = []
    for done, row in enumerate(rows.tolist(), 1):
        try:
            images.append(prepare(load(row)))
            good.append(row)
        except Quarantined:
            pass
        if progress is not None:
            progress(done, len(rows))
    if not good:
        raise InputError("no image could be read; look at the data with `medveil cohort describe`")
    if not by_split:
        people = np.unique(patients[good])
        kept = np.isin(patients, rng.permutation(people)[: max(1, round(KEPT * len(people)))])
    return TrainingImages.of(images, patients[good], kept[good], len(rows) - len(good))
