"""Whether a mark is an L by its shape: two strokes at a right angle, however it lies, mirrored or not.

A reader made for type does not know an L of lead that fell askew; most sides on films are such.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

SIDE = 48  # pixels at which a mark is looked at
STEP = 5  # degrees
SLIMMEST = 0.4  # of its longer arm that the shorter one measures
THIN, THICK = 0.12, 0.42  # of the shorter arm that the strokes are thick
ALIKE = 0.72  # of what the mark and the L cover together that both do


def is_l_shape(mark: NDArray[np.bool_]) -> bool:
    return any(_likeness(turned) >= ALIKE for turned in _turned(mark))


def _turned(mark: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """The mark, cropped, at every angle up to a quarter turn."""
    rows, columns = mark.shape
    scale = 0.7 * SIDE / max(rows, columns)
    found = []
    for degrees in range(-45, 45, STEP):
        turn = cv2.getRotationMatrix2D(((columns - 1) / 2, (rows - 1) / 2), degrees, scale)
        turn[:, 2] += (SIDE - columns) / 2, (SIDE - rows) / 2
        picture = cv2.warpAffine(mark.astype(np.float32), turn, (SIDE, SIDE), flags=cv2.INTER_AREA) > 0.5
        x, y, width, height = cv2.boundingRect(picture.astype(np.uint8))
        found.append(picture[y : y + height, x : x + width])
    return found


def _likeness(mark: NDArray[np.bool_]) -> float:
    """How much of what it and the most similar upright L cover both do; 0 where it has not the proportions of one."""
    height, width = mark.shape
    if min(height, width) < max(4, SLIMMEST * max(height, width)):
        return 0.0
    thick = float(mark.sum()) / (height + width)  # but for the corner, which counts twice
    thick = float(mark.sum()) / (height + width - thick)
    if not THIN <= thick / min(height, width) <= THICK:
        return 0.0
    stroke = max(1, round(thick))
    shape = np.zeros(mark.shape, bool)
    shape[-stroke:], shape[:, :stroke] = True, True
    turned = (shape, shape[::-1], shape[:, ::-1], shape[::-1, ::-1])
    return max(float((mark & one).sum() / (mark | one).sum()) for one in turned)
