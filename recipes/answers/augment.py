"""Changes that leave the answers as they are: position, size, exposure, noise, and boxes such as text leaves."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Film = NDArray[np.uint8]


def changed(film: Film, rng: np.random.Generator, *, strength: float) -> Film:
    """A prepared film of 256 × 256 pixels, never mirrored: sides are asked after."""
    middle = film.shape[0] / 2
    turn = cv2.getRotationMatrix2D(
        (middle, middle), rng.uniform(-10, 10) * strength, float(np.exp(rng.uniform(-0.18, 0.15) * strength))
    )
    turn[:, 2] += rng.uniform(-14, 14, 2) * strength
    moved = cv2.warpAffine(film, turn, film.shape[::-1]).astype(np.float32) / 255
    moved = moved ** np.exp(rng.uniform(-0.35, 0.35) * strength)
    moved = (moved - 0.5) * np.exp(rng.uniform(-0.2, 0.15) * strength) + 0.5 + rng.uniform(-0.05, 0.05) * strength
    if rng.random() < 0.3:
        moved = cv2.GaussianBlur(moved, (0, 0), rng.uniform(0.5, 1.2))
    moved += rng.normal(0, rng.uniform(0, 0.03), moved.shape)
    for _ in range(int(rng.integers(0, 3))):
        (left, top), (across, down) = rng.integers(0, film.shape[0], 2), rng.integers(10, 60, 2)
        moved[top : top + down // 3, left : left + across] = rng.random()
    return np.asarray(np.clip(moved, 0, 1) * 255, np.uint8)
