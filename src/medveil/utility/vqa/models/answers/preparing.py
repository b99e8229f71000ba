"""From any medical image to what the answer model sees: the body, not the margin around it, in one size and range."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.encoders.identity.preparing import SIDE, prepare
from medveil.utility.vqa.question import Image

_DARK = 0.08  # of the brightest; below it lies the margin
_THIN = 0.04  # of the side; what is thinner is text, a scale or a frame, and does not count as body
_AROUND = 0.03  # of the side is left around the body


def as_seen(image: Image) -> NDArray[np.uint8]:
    """256 × 256 gray, the shape kept."""
    gray = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    top, bottom, left, right = body(np.asarray(gray))
    cut = gray[top:bottom, left:right]
    side = max(cut.shape)
    down, across = side - cut.shape[0], side - cut.shape[1]
    square = cv2.copyMakeBorder(
        cut, down // 2, down - down // 2, across // 2, across - across // 2, cv2.BORDER_CONSTANT, value=0
    )
    way = cv2.INTER_AREA if side > SIDE else cv2.INTER_LINEAR
    return prepare(np.asarray(cv2.resize(square, (SIDE, SIDE), interpolation=way)))


def body(gray: NDArray[np.uint8]) -> tuple[int, int, int, int]:
    """Top, bottom, left, right of what is not margin; all of it where there is none.

    Burned-in text must not move it, or a film would be seen differently after it is taken off.
    """
    rows, columns = gray.shape
    scale = 128 / max(rows, columns)
    small = cv2.resize(
        gray, (max(1, round(columns * scale)), max(1, round(rows * scale))), interpolation=cv2.INTER_AREA
    )
    bright = (small > _DARK * max(int(np.percentile(small, 99)), 1)).astype(np.uint8)
    thick = max(3, round(_THIN * 128) | 1)
    solid = cv2.morphologyEx(bright, cv2.MORPH_OPEN, np.ones((thick, thick), np.uint8))
    down, across = np.flatnonzero(solid.any(1)), np.flatnonzero(solid.any(0))
    if min(len(down), len(across)) < 128 // 8:
        return 0, rows, 0, columns
    around = _AROUND * max(rows, columns)
    top, left = (max(0, int(edge[0] / scale - around)) for edge in (down, across))
    bottom = min(rows, round((down[-1] + 1) / scale + around))
    right = min(columns, round((across[-1] + 1) / scale + around))
    return top, bottom, left, right
