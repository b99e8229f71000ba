"""Is this an upright frontal chest X-ray? What is not would only add noise to an attack, and is not made anew as one.

A linear model on simple image features (thumbnail, edge directions by place, gray levels), small enough to
ship as a few kilobytes; `recipes/identity/chest_check.py` is the recipe. Laterals that the table names as such never
get here: the view column is believed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.cohort.features import texture
from medveil.runtime.storage import write_bytes

BUNDLED = "chest_check.npz"


@dataclass(frozen=True)
class ChestCheck:
    """Scores an image; from zero on it counts as a frontal chest X-ray."""

    weights: NDArray[np.float32]
    offset: float

    def score(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """One score a row of `features`, as `chest_features` makes them."""
        return np.atleast_2d(features) @ self.weights + np.float32(self.offset)

    def save(self, path: Path) -> None:
        content = BytesIO()
        np.savez_compressed(content, weights=self.weights.astype(np.float16), offset=np.float32(self.offset))
        write_bytes(path, content.getvalue())


def chest_features(image: NDArray[Any]) -> NDArray[np.float32]:
    return texture(image)


@cache
def bundled_check() -> ChestCheck:
    """The check that comes with the package."""
    content = files("medveil.encoders.identity").joinpath(BUNDLED).read_bytes()
    with np.load(BytesIO(content)) as stored:
        return ChestCheck(stored["weights"].astype(np.float32), float(stored["offset"]))
