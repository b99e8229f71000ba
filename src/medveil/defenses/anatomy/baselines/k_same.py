"""`KSame`: the film is replaced by the average of the k films of a gallery that are most like it.

The gallery is public and holds one film a patient, of patients who are not in the release; the film itself is no part
of the average. So what is released tells which k of the gallery's n films were nearest, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, log2
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.defenses.anatomy.batches import check
from medveil.defenses.anatomy.method import Film, Pixels
from medveil.encoders.identity.preparing import SIDE, prepare
from medveil.errors import InputError, SettingsError
from medveil.parts import Guarantee
from medveil.runtime.once import once
from medveil.training.checkpoint import read_header, read_tensors, write_model

FORMAT = "medveil.gallery/1"
FINE, COARSE = 64, 16  # pixels a side of what is averaged, and of what films are compared by
REACH = 6  # pixels of FINE that a gallery's film is moved at most, to lie over the others
DRAWN, SEED, SITES = 200, 71_500, 6  # phantoms that serve where no gallery is given

Floats = NDArray[np.float32]


class KSame:
    """Averages of public films. Without a gallery of the user's, of phantoms drawn when first needed."""

    name = "k-same"
    title = "k-same averages"
    unit = "films averaged"
    levels = (2.0, 5.0, 10.0, 20.0)

    def __init__(self, *, weights: Path | None = None, device: str = "cpu") -> None:
        self._path = weights
        self._kept: tuple[Pixels, Floats] | None = None

    def bits(self, level: float) -> float:
        """Which k of n."""
        return log2(comb(len(self._gallery[0]), self._count(level)))

    def guarantee(self, level: float) -> Guarantee:
        return Guarantee(
            "formal",
            f"the film is one of at most 2^{self.bits(level):.1f} averages of public films, so nobody's chance of "
            "naming the patient grows by more than that factor, if no film of the patient is in the gallery",
        )

    def protect(self, films: Sequence[Film], level: float, chance: Sequence[np.random.Generator]) -> list[Pixels]:
        check(films, chance, colour=False)
        count = self._count(level)
        return [self._average(film.pixels, count) for film in films]

    def _average(self, pixels: Pixels, count: int) -> Pixels:
        gallery, described = self._gallery
        alike = described @ describe(pixels)
        nearest = np.argsort(-alike, kind="stable")[:count]
        mean = gallery[nearest].mean(0, dtype=np.float32)
        whole = cv2.resize(mean, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC)
        return np.clip(np.rint(whole), 0, 255).astype(np.uint8)

    def _count(self, level: float) -> int:
        most = len(self._gallery[0])
        if not (level == int(level) and 1 <= level <= most):
            raise SettingsError(f"k-same averages a whole number of films, from 1 to the {most} of its gallery")
        return int(level)

    @property
    def _gallery(self) -> tuple[Pixels, Floats]:
        """The films, and what they are compared by."""
        if self._kept is None:
            films = drawn_gallery() if self._path is None else load_gallery(self._path)
            self._kept = films, np.stack([describe(film) for film in films])
        return self._kept


def describe(film: Pixels) -> Floats:
    """A film in few numbers, of unit length and without its brightness: the inner product of two is how alike."""
    few = cv2.resize(film, (COARSE, COARSE), interpolation=cv2.INTER_AREA).astype(np.float32).ravel()
    few -= few.mean()
    return np.asarray(few / max(float(np.linalg.norm(few)), 1e-6), np.float32)


def gallery_of(films: Sequence[Pixels]) -> Pixels:
    """Prepared films made small, each moved to where it lies best over their mean: a blunt average helps nobody."""
    if not films:
        raise InputError("a gallery needs films; there are none")
    small = np.stack([cv2.resize(film, (FINE, FINE), interpolation=cv2.INTER_AREA) for film in films])
    mean = small.mean(0, dtype=np.float32)
    return np.stack([_moved(film, *_best_move(film, mean)) for film in small])


def _best_move(film: Pixels, mean: Floats) -> tuple[int, int]:
    """Where the middle of the film is most like the mean."""
    middle = film[REACH:-REACH, REACH:-REACH].astype(np.float32)
    found = cv2.matchTemplate(mean, middle, cv2.TM_CCOEFF_NORMED)
    _, _, _, (across, down) = cv2.minMaxLoc(found)
    return across - REACH, down - REACH


def _moved(film: Pixels, across: int, down: int) -> Pixels:
    rows = np.clip(np.arange(FINE) - down, 0, FINE - 1)
    columns = np.clip(np.arange(FINE) - across, 0, FINE - 1)
    return np.asarray(film[np.ix_(rows, columns)])


@once
def drawn_gallery() -> Pixels:
    patients = (plan_patient(SEED, number, SITES) for number in range(DRAWN))
    films = (draw(patient, patient.visits[0], sites_seed=SEED, size=SIDE).pixels for patient in patients)
    return gallery_of([prepare(film) for film in films])


def save_gallery(path: Path, gallery: Pixels, **told: Any) -> None:
    write_model(path, {"films": torch.from_numpy(gallery)}, form=FORMAT, architecture=told)


def load_gallery(path: Path) -> Pixels:
    try:
        read_header(path, form=FORMAT)
    except ValueError:
        raise InputError(f"{path} is not a gallery; make one with `medveil train anatomy --method k-same`") from None
    return np.asarray(read_tensors(path)["films"].numpy(), np.uint8)
