"""Named image pipelines: one name, one exact sequence of steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[Any]


def to_8_bit(image: Image) -> NDArray[np.uint8]:
    """Subtract the minimum, divide by the maximum of the shifted image, scale to 0..255."""
    shifted = image.astype(np.float32) - np.float32(image.min())
    top = shifted.max()
    scaled = shifted / top if top > 0 else shifted
    return (np.clip(scaled, 0, 1) * 255).astype(np.uint8)


def resize(image: Image, side: int) -> Image:
    """To a square of `side` pixels, averaging where it shrinks."""
    shrinks = side < min(image.shape)
    return np.asarray(cv2.resize(image, (side, side), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR))


def equalised(side: int, image: Image) -> NDArray[np.uint8]:
    """Min-max, 8 bit, histogram equalisation, `side` × `side` pixels."""
    return resize(cv2.equalizeHist(to_8_bit(image)), side)


def linkage_224(image: Image) -> NDArray[np.uint8]:
    """The linkage paper's: equalised, 224 × 224 pixels."""
    return equalised(224, image)


PIPELINES: dict[str, Callable[[Image], NDArray[np.uint8]]] = {"linkage-224": linkage_224}
