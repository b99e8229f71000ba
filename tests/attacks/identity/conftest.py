"""Planted identities: frontal-looking phantoms whose person a stand-in network reads off a few pixels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pandas as pd
import pytest

from medveil.cohort import Cohort
from medveil.cohort.preprocess import resize, to_8_bit
from medveil.encoders.identity.preparing import Preparation

Row = dict[str, Any]
Maker = Callable[..., Cohort]
SIDE = 256  # what the networks are given, so that preparing changes nothing


class StandIn:
    """Recognises people by the fine detail that is not common to all, through a fixed random projection."""

    name = "stand-in"
    dim = 64
    preparation = Preparation()

    def __init__(self, common: np.ndarray, card: dict[str, Any] | None = None) -> None:
        self.card = card or {}
        self.embedded = 0
        self._projection = np.random.default_rng(0).normal(size=(24 * 24, self.dim))
        self._common = self._fine(common)

    @staticmethod
    def _fine(image: np.ndarray) -> np.ndarray:
        small = cv2.resize(image, (24, 24), interpolation=cv2.INTER_AREA).astype(np.float64)
        fine = small - cv2.GaussianBlur(small, (0, 0), 2)
        return fine / fine.std()

    def embed(self, images: Iterable[np.ndarray]) -> np.ndarray:
        rows = [(self._fine(image) - 0.6 * self._common).ravel() @ self._projection for image in images]
        self.embedded += len(rows)
        vectors = np.array(rows).reshape(-1, self.dim)
        return (vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)).astype(np.float32)

    def attention(self, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ramp = np.linspace(0, 1, 32, dtype=np.float32)
        return np.tile(ramp, (32, 1)), np.tile(ramp[:, None], (1, 32))


class Clinic:
    """Draws the visits of people: one phantom chest, with a pattern of the person's own and noise of the visit's."""

    def __init__(self, base: np.ndarray) -> None:
        self.base = resize(to_8_bit(base), SIDE).astype(np.float32)

    def chest(self, person: int, visit: int, *, recognisable: float = 14.0) -> np.ndarray:
        rng = np.random.default_rng([person, visit])
        own = np.random.default_rng([person, 999]).normal(size=(24, 24)).astype(np.float32)
        image = 0.8 * self.base + 25 + recognisable * cv2.resize(own, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC)
        image += 10 * cv2.resize(rng.normal(size=(64, 64)).astype(np.float32), (SIDE, SIDE))
        return np.clip(image + rng.normal(0, 4, image.shape), 0, 255).astype(np.uint8)

    def visits(
        self, people: Iterable[int], per_person: int = 2, first: int = 0, **drawn: float
    ) -> tuple[list[np.ndarray], list[Row]]:
        """Pictures of every person's visits, one study each, and their rows."""
        pictures, rows = [], []
        for person in people:
            for visit in range(first, first + per_person):
                pictures.append(self.chest(person, visit, **drawn))
                rows.append({"patient_id": f"patient-{person:03}", "study_id": f"study-{person:03}-{visit}"})
        return pictures, rows


@pytest.fixture(scope="session")
def clinic(hospital: Cohort) -> Clinic:
    return Clinic(hospital.image(0))


@pytest.fixture
def stand_in(clinic: Clinic) -> StandIn:
    return StandIn(clinic.base)


@pytest.fixture
def cohort_of(tmp_path: Path) -> Maker:
    """A cohort of pictures; each comes with its row, of which patient and study are required."""

    def make(pictures: list[np.ndarray], rows: list[Row], name: str = "a") -> Cohort:
        folder = tmp_path / name
        folder.mkdir()
        for number, picture in enumerate(pictures):
            cv2.imwrite(str(folder / f"file-{name}-{number:03}.png"), picture)
        table = pd.DataFrame(
            [
                {
                    "image_id": f"image-{name}-{number:03}",
                    "path": f"file-{name}-{number:03}.png",
                    "view": "PA",
                    "sex": "FM"[number % 2],
                    "age": 50.0,
                    **row,
                }
                for number, row in enumerate(rows)
            ]
        )
        return Cohort.of(table, folder, name="planted")

    return make
