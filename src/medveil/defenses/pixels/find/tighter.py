"""A line drawn too high around small print, made as low as the print is.

Faint print is often found together with what it stands on: an edge, a device. Print has upright strokes along its whole
row and none above or below; so of each row the strokes are counted piece by piece, and the middle piece speaks for it.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.lines import Line

HEIGHT = 48  # pixels at which a line is looked at
LONG = 2.5  # heights; in a shorter line a device would be half of it
LOWEST = 7  # pixels of print
LARGEST = 0.62  # of the line's height that the print may fill; what fills more was drawn well
PIECES = 9
STANDS_OUT = 1.7  # times the strokes of the other rows
ROOM = 1.45  # times the print's height


def tighter(line: Line, view: NDArray[np.uint8]) -> Line | None:
    """The same line around the row of strokes in it, if there is one that fills only some of its height."""
    if line.length < LONG * line.height:
        return None
    strip = line.cut_out(view, HEIGHT).astype(np.float32)
    strokes = np.abs(cv2.Sobel(cv2.GaussianBlur(strip, (0, 0), 1.0), cv2.CV_32F, 1, 0))
    pieces = np.array_split(strokes, PIECES, axis=1)
    rows = cv2.blur(np.median([piece.mean(axis=1) for piece in pieces], axis=0)[:, None], (1, 3))[:, 0]
    peak = int(rows.argmax())
    above = rows > (rows[peak] + np.median(rows)) / 2
    first = peak - int(np.argmin(above[peak::-1])) + 1 if not above[: peak + 1].all() else 0
    last = peak + int(np.argmin(above[peak:])) if not above[peak:].all() else HEIGHT
    high = (last - first) / HEIGHT * line.height
    rest = np.concatenate([rows[:first], rows[last:]])
    if high > LARGEST * line.height or high < LOWEST / ROOM or rows[first:last].mean() < STANDS_OUT * rest.mean():
        return None
    down = np.array([-line.along[1], line.along[0]]) * ((first + last) / 2 / HEIGHT - 0.5) * line.height
    return replace(line.moved(*down), height=ROOM * high)
