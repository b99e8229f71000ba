"""The images to train on: prepared pixels, patient numbers, and which patients are kept for validation.

What fits is held in memory. More than that stays in its files, and every batch is read when its turn comes.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from medveil.encoders.identity.preparing import Preparation
from medveil.errors import InputError, Quarantined

if TYPE_CHECKING:
    from medveil.cohort import Cohort

VALIDATION = ("val", "validate", "validation")
MOST_IN_MEMORY = 8 << 30  # bytes of pixels
THREADS = max(1, min(16, os.cpu_count() or 1))

Place = tuple[str, int]  # file and frame


@dataclass(frozen=True)
class FilmsOnDisk:
    """Films that are too many to hold: read and prepared each time they are asked for, several at once."""

    root: Path
    places: tuple[Place, ...]
    preparation: Preparation
    digests: NDArray[np.void]  # of the prepared pixels

    @property
    def shape(self) -> tuple[int, int, int]:
        return len(self.places), self.preparation.side, self.preparation.side

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, rows: NDArray[np.intp]) -> NDArray[np.uint8]:
        with ThreadPoolExecutor(THREADS) as pool:
            return np.stack(list(pool.map(self._film, rows.tolist())))

    def part(self, rows: NDArray[np.bool_]) -> FilmsOnDisk:
        kept = tuple(place for place, keep in zip(self.places, rows.tolist(), strict=True) if keep)
        return FilmsOnDisk(self.root, kept, self.preparation, self.digests[rows])

    def _film(self, row: int) -> NDArray[np.uint8]:
        try:
            return _read(self.root, self.preparation, self.places[row])
        except Quarantined:
            raise InputError(
                "an image that could be read when training began cannot be read any more; put it back and run again"
            ) from None


Films = NDArray[np.uint8] | FilmsOnDisk


@dataclass(frozen=True)
class TrainingImages:
    """`pixels` (n × side × side, 8 bits), a number for every patient, and the rows kept for validation."""

    pixels: Films
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

    @property
    def side(self) -> int:
        return int(self.pixels.shape[-1])

    @property
    def told(self) -> NDArray[np.generic]:
        """What tells these films from others: their pixels, or the digests of those."""
        return self.pixels.digests if isinstance(self.pixels, FilmsOnDisk) else self.pixels

    def part(self, *, validation: bool) -> tuple[Films, NDArray[np.int64]]:
        """Pixels and patient numbers (from 0, without gaps) of one part."""
        rows = self.validation == validation
        _, codes = np.unique(self.patients[rows], return_inverse=True)
        films = self.pixels.part(rows) if isinstance(self.pixels, FilmsOnDisk) else self.pixels[rows]
        return films, codes.astype(np.int64)


def from_cohort(
    cohort: Cohort, preparation: Preparation | None = None, progress: Callable[[int, int], None] | None = None
) -> TrainingImages:
    """The train and val rows of a cohort, laterals aside; what cannot be read is left out and counted."""
    preparation = preparation or Preparation()
    wanted = _wanted(cohort)
    table = cohort.table.iloc[wanted]
    places = [(str(path), int(frame)) for path, frame in zip(table["path"], table["frame"], strict=True)]
    held = len(wanted) * preparation.side**2 <= MOST_IN_MEMORY
    pixels: list[NDArray[np.uint8]] = []
    digests: list[bytes] = []
    rows: list[int] = []
    for row, film in enumerate(_films(cohort.root, preparation, places)):
        if film is not None:
            rows.append(row)
            if held:
                pixels.append(film)
            else:
                digests.append(hashlib.sha256(film.tobytes()).digest())
        if progress is not None:
            progress(row + 1, len(places))
    if not rows:
        raise InputError("no readable image is in the split 'train' or 'val'; assign splits by patient first")
    table = table.iloc[rows]
    _, patients = np.unique(table["patient_id"].astype(str).to_numpy(), return_inverse=True)
    validation = table["split"].isin(VALIDATION).to_numpy()
    films: Films = (
        np.stack(pixels)
        if held
        else FilmsOnDisk(cohort.root, tuple(places[row] for row in rows), preparation, np.array(digests, "V32"))
    )
    return TrainingImages(films, patients.astype(np.int64), validation, len(wanted) - len(rows))


def _wanted(cohort: Cohort) -> NDArray[np.intp]:
    table = cohort.table
    frontal = ~table["view"].isin(("LATERAL", "OTHER"))
    return np.flatnonzero((table["split"].isin(("train", *VALIDATION)) & frontal).to_numpy())


def _films(root: Path, preparation: Preparation, places: Sequence[Place]) -> Iterator[NDArray[np.uint8] | None]:
    """Every film in order, a few ahead of the one that is asked for; none where it cannot be read."""

    def film(place: Place) -> NDArray[np.uint8] | None:
        try:
            return _read(root, preparation, place)
        except Quarantined:
            return None

    with ThreadPoolExecutor(THREADS) as pool:
        for start in range(0, len(places), 4 * THREADS):
            yield from pool.map(film, places[start : start + 4 * THREADS])


def _read(root: Path, preparation: Preparation, place: Place) -> NDArray[np.uint8]:
    from medveil.cohort.images import load_image  # brings the decoders, which prepared arrays do not need

    path, frame = place
    return preparation(load_image(root, path, frame=frame))
