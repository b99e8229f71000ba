"""Where to look: windows around the holes of an image, with some of what surrounds them."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.paint.generator_file import STEP

Window = tuple[int, int, int, int]  # left, top, right, bottom; may reach beyond the image
CELL = STEP  # windows are found on a raster of cells, which is quick
AROUND = 1  # cells of surroundings on each side, after shrinking


def find_windows(hole: NDArray[np.bool_], *, most: int, thickest: int) -> tuple[int, list[Window]]:
    """How often to shrink, and windows in pixels that do not overlap and hold a whole number of network steps.

    After shrinking, all windows together have `most` pixels, and a hole is about `thickest` pixels across, at most.
    """
    cells = _cells(hole)
    by = max(1, -(-int(2 * _depth(hole)) // thickest))
    while True:
        windows = _apart(cells, by)
        area = sum((right - left) * (bottom - top) for left, top, right, bottom in windows)
        if area * CELL * CELL <= most * by * by:
            break
        by += 1
    return by, [(CELL * left, CELL * top, CELL * right, CELL * bottom) for left, top, right, bottom in windows]


def _cells(hole: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """One for every cell with a masked pixel."""
    height, width = (-(-side // CELL) for side in hole.shape)
    padded = np.zeros((height * CELL, width * CELL), np.uint8)
    padded[: hole.shape[0], : hole.shape[1]] = hole
    rows = padded.reshape(height, CELL, width * CELL).max(1)
    return rows.reshape(height, width, CELL).max(2)


def _depth(hole: NDArray[np.bool_]) -> float:
    """About the greatest distance from a place in a hole to its edge, in pixels."""
    small = cv2.resize(hole.astype(np.uint8), None, fx=1 / 4, fy=1 / 4, interpolation=cv2.INTER_NEAREST)
    padded = cv2.copyMakeBorder(small, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
    return 4 * float(cv2.distanceTransform(padded, cv2.DIST_L2, 3).max())


def _apart(cells: NDArray[np.uint8], by: int) -> list[Window]:
    """Windows that touch become one, until none do."""
    around = AROUND * by
    windows = [_whole((x - around, y - around, right + around, low + around), by) for x, y, right, low in _boxes(cells)]
    while True:
        left, top = (min(window[side] for window in windows) for side in (0, 1))
        right, bottom = (max(window[side] for window in windows) for side in (2, 3))
        canvas = np.zeros((bottom - top, right - left), np.uint8)
        for window in windows:
            canvas[window[1] - top : window[3] - top, window[0] - left : window[2] - left] = 1
        joined = [_whole((x + left, y + top, end + left, low + top), by) for x, y, end, low in _boxes(canvas)]
        if len(joined) == len(windows):
            return joined
        windows = joined


def _boxes(canvas: NDArray[np.uint8]) -> list[Window]:
    found = cv2.connectedComponentsWithStats(canvas, connectivity=8)[2][1:, :4].tolist()
    return [(x, y, x + width, y + height) for x, y, width, height in found]


def _whole(box: Window, by: int) -> Window:
    """Widened to the right and downwards until the network's steps fit."""
    left, top, right, bottom = box
    return left, top, left + -(-(right - left) // by) * by, top + -(-(bottom - top) // by) * by
