"""Small pictures of changed films. A public report shows only what is released, with boxes around the changes."""

from __future__ import annotations

import io
from typing import Any

import cv2
import numpy as np
import PIL.Image
from numpy.typing import NDArray

Image = NDArray[Any]
Mask = NDArray[np.bool_]
LONGEST = 256  # pixels of the longer side
_GRAYS = 64
_RED = np.uint8(_GRAYS)
_JOINED = 9  # pixels: what lies nearer is boxed together


def boxed(released: Image, changed: Mask) -> bytes:
    """The released film as PNG, with a red box around each place that was changed.

    Nothing of the original is in it: the changed pixels themselves may have the shape of letters, and are not shown.
    """
    film, marks = _small(released, changed)
    near = cv2.dilate(marks.astype(np.uint8), np.ones((_JOINED, _JOINED), np.uint8))
    for left, top, width, height, _ in cv2.connectedComponentsWithStats(near)[2][1:]:
        cv2.rectangle(film, (left, top), (left + width - 1, top + height - 1), int(_RED), 1)
    return _png(film)


def side_by_side(original: Image, released: Image, changed: Mask) -> bytes:
    """Before, after, and before with every changed pixel in red. It shows the original: for those who may see it."""
    both = np.stack([original, released]) if original.shape == released.shape else original
    grays = int(both.min()), int(both.max())
    before, marks = _small(original, changed, grays)
    after, _ = _small(released, np.zeros(released.shape, bool), grays)
    after = cv2.resize(after, before.shape[::-1], interpolation=cv2.INTER_NEAREST)
    return _png(np.concatenate([before, after, np.where(marks, _RED, before)], axis=1))


def _small(film: Image, changed: Mask, grays: tuple[int, int] | None = None) -> tuple[NDArray[np.uint8], Mask]:
    """In few grays, from the least to the greatest, and no larger than is shown; a pixel is marked where any pixel of
    it was changed."""
    height, width = film.shape
    scale = min(1.0, LONGEST / max(height, width))
    size = max(1, round(scale * width)), max(1, round(scale * height))
    low, high = grays or (int(film.min()), int(film.max()))
    level = (np.clip(film, low, high).astype(np.float32) - low) * np.float32(255 / max(1, high - low))
    gray = np.rint(cv2.resize(level, size, interpolation=cv2.INTER_AREA)).astype(np.uint8)
    marks = cv2.resize(changed.astype(np.float32), size, interpolation=cv2.INTER_AREA) > 0
    return np.asarray(gray >> 2, np.uint8), np.asarray(marks)


def _png(indices: NDArray[np.uint8]) -> bytes:
    picture = PIL.Image.fromarray(np.ascontiguousarray(indices), "P")
    grays = [level for step in range(_GRAYS) for level in [step * 255 // (_GRAYS - 1)] * 3]
    picture.putpalette([*grays, 230, 30, 30])
    file = io.BytesIO()
    picture.save(file, "PNG", optimize=True)
    return file.getvalue()
