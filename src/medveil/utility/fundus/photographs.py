"""From any photograph of the eye to what networks see: the lit disc, 256 × 256 pixels in three colours of 8 bits."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.cohort import Cohort
from medveil.cohort.images import load_colours
from medveil.errors import Quarantined

SIDE = 256
DARK = 20  # of 255: the black around the disc
COVERED = 0.3  # of a pixel: what is covered so far by a vessel counts as one
Colours = NDArray[np.uint8]
Box = tuple[slice, slice]


def disc(photograph: Colours) -> Box:
    """Rows and columns of the lit disc."""
    lit = photograph.max(axis=2) > DARK
    rows, columns = np.flatnonzero(lit.mean(1) > 0.01), np.flatnonzero(lit.mean(0) > 0.01)
    if not len(rows) or not len(columns):
        raise Quarantined("nothing lit in the photograph")
    return slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)


def prepare_eye(photograph: Colours) -> Colours:
    """The disc alone, in a black square."""
    return np.asarray(_squared(photograph[disc(photograph)]), np.uint8)


def prepare_outline(outline: NDArray[np.bool_], photograph: Colours) -> NDArray[np.bool_]:
    """An outline drawn on a photograph, as it lies on the prepared one."""
    return np.asarray(_squared(outline[disc(photograph)].astype(np.float32)) > COVERED)


def eye(cohort: Cohort, row: int) -> Colours:
    """A cohort's photograph as it is; one without colours is refused."""
    colours = load_colours(cohort.root, str(cohort.table["path"].iat[row]))
    if colours is None:
        raise Quarantined("a photograph of the eye has colours")
    return colours


def _squared(part: NDArray[np.uint8] | NDArray[np.float32]) -> NDArray[np.uint8] | NDArray[np.float32]:
    height, width = part.shape[:2]
    side = max(height, width)
    square = np.zeros((side, side, *part.shape[2:]), part.dtype)
    top, left = (side - height) // 2, (side - width) // 2
    square[top : top + height, left : left + width] = part
    sized: NDArray[np.uint8] = cv2.resize(square, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    return sized
