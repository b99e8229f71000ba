"""Simple features, one vector an image: what it looks like, taken in parallel, and what is known without it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.cohort.cohort import Cohort
from medveil.cohort.images import load_image
from medveil.cohort.preprocess import resize, to_8_bit
from medveil.runtime.workers import ordered_map

Image = NDArray[Any]
Vector = NDArray[np.float32]

FEW = 200  # images; starting processes would take longer than the work


def thumbnail(image: Image) -> Vector:
    """The equalised image at 32 × 32, centred and of unit length."""
    small = cv2.equalizeHist(to_8_bit(resize(image, 32))).astype(np.float32).ravel()
    small -= small.mean()
    length = float(np.linalg.norm(small))
    return small / np.float32(length) if length > 0 else small


def texture(image: Image) -> Vector:
    """Thumbnail, edge directions by place, and gray levels: what a linear probe can use."""
    plain = to_8_bit(resize(image, 128))
    gray = np.bincount(plain.ravel() >> 3, minlength=32).astype(np.float32) / plain.size
    return np.concatenate([thumbnail(image) * 4, _edge_directions(cv2.equalizeHist(plain)), gray])


def _edge_directions(image: NDArray[np.uint8], cells: int = 8, directions: int = 9) -> Vector:
    """How much edge runs in each direction, in each cell of a grid; every cell of unit length."""
    across, down = (cv2.Sobel(image, cv2.CV_32F, x, 1 - x) for x in (1, 0))
    strength = np.hypot(across, down)
    direction = (np.arctan2(down, across) % np.pi * (directions / np.pi)).astype(int) % directions
    side = image.shape[0] // cells
    cell = np.arange(image.shape[0]) // side
    place = (cell[:, None] * cells + cell[None, :]) * directions + direction
    votes = np.bincount(place.ravel(), strength.ravel(), minlength=cells * cells * directions)
    votes = votes.reshape(-1, directions)
    return (votes / (np.linalg.norm(votes, axis=1, keepdims=True) + 1e-3)).astype(np.float32).ravel()


def image_features(cohort: Cohort, feature: Callable[[Image], Vector]) -> Vector:
    """Images × dimensions, in the cohort's order."""
    workers = 1 if len(cohort) < FEW else None
    task = partial(_feature_of, cohort.root, feature)
    places = zip(cohort.table["path"], cohort.table["frame"], strict=True)
    return np.stack(list(ordered_map(task, places, workers=workers)))


def _feature_of(root: Path, feature: Callable[[Image], Vector], place: tuple[str, int]) -> Vector:
    return feature(load_image(root, place[0], frame=int(place[1])))


def demographics(table: pd.DataFrame) -> NDArray[np.float32]:
    """What every control attack knows without the image; inner products measure agreement.

    Sex, view and site as they are, age as a tent five years wide.
    """
    blocks = [pd.get_dummies(table[column]).to_numpy(np.float32) for column in ("sex", "view", "site")]
    ages = table["age"].to_numpy(np.float32)
    tent = np.maximum(0, 1 - np.abs(ages[:, None] - np.arange(131)) / 2.5)
    return np.concatenate([*blocks, np.nan_to_num(tent).astype(np.float32)], axis=1)
