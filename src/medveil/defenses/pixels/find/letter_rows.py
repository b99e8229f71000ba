"""Where an image has something shaped like a line of text: small, thin, sharp-edged marks in a row.

No reading is done, so the search is quick and leans to the safe side: it reports ruler marks and wire ends
as well, and leaves single letters (side markers) alone.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.lines import Box

OVER_NOISE = 3.5  # times what stands out around by mere grain
STRONGEST_GRAIN = 12  # of 255; what stands out more is drawn, not noise
NOISE_SHARE = 8  # of the longer side is what "around" means
FEWEST_MARKS = 3  # in a row; a name, a date or a number has more


def find_letter_rows(view: NDArray[np.uint8], window: Box) -> list[Box]:
    """Boxes around everything in a window of the view that looks like a line of text, not yet widened."""
    left, top, right, bottom = window
    gray = view[top:bottom, left:right]
    noise_window = max(view.shape) // NOISE_SHARE
    boxes = []
    for stroke, contrast in _strokes(view.shape):
        kernel = np.ones((stroke, stroke), np.uint8)
        for thin in (cv2.morphologyEx(gray, how, kernel) for how in (cv2.MORPH_TOPHAT, cv2.MORPH_BLACKHAT)):
            boxes += _rows(_marks(thin, stroke, contrast, noise_window), gray.shape, stroke)
    return [(x0 + left, y0 + top, x1 + left, y1 + top) for x0, y0, x1, y1 in boxes]


def _strokes(shape: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Widths to look for, and how far (of 255) a stroke must stand out from what surrounds it.

    Text is drawn for the eye, so it scales with the image. Thick strokes must stand out more: vessels and
    ribs are as thick and faint.
    """
    fine = max(3, round(min(shape) / 120))
    return ((fine | 1, 12), (fine | 1, 24), (2 * fine | 1, 40))


def _marks(thin: NDArray[np.uint8], stroke: int, contrast: int, window: int) -> NDArray[np.int32]:
    """Boxes (x, y, width, height) of marks the size of a letter, with edges as sharp as drawn ones."""
    grain = np.minimum(thin, STRONGEST_GRAIN)  # so that a block of text does not pass for noise
    noise = cv2.blur(grain, (window, window)).astype(np.float32) * OVER_NOISE
    sharp = (thin > np.maximum(noise, contrast)).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(sharp, connectivity=8)
    x, y, width, height, area = stats[1:].T
    letter = (height >= 1.2 * stroke) & (height <= 12 * stroke) & (width <= 14 * stroke) & (area >= 1.5 * stroke)
    peak = _peaks(thin, labels, count)[1:]
    letter &= peak >= 1.4 * contrast
    return np.stack([x, y, width, height], axis=1)[letter]


def _peaks(values: NDArray[np.uint8], labels: NDArray[np.int32], count: int) -> NDArray[np.float64]:
    top = np.zeros(count)
    inside = labels > 0
    np.maximum.at(top, labels[inside], values[inside])
    return top


def _rows(marks: NDArray[np.int32], shape: tuple[int, ...], stroke: int) -> list[Box]:
    """Marks of like height, side by side, at least three together."""
    canvas = np.zeros(shape, np.uint8)
    for x, y, width, height in marks:
        reach = int(0.8 * height) + stroke
        middle = y + height // 2
        half = max(1, int(0.3 * height))
        canvas[max(0, middle - half) : middle + half, max(0, x - reach // 2) : x + width + reach // 2] = 1
    count, labels = cv2.connectedComponents(canvas, connectivity=4)
    if not len(marks):
        return []
    row_of = labels[np.minimum(marks[:, 1] + marks[:, 3] // 2, shape[0] - 1), marks[:, 0] + marks[:, 2] // 2]
    boxes = []
    for row in range(1, count):
        own = marks[row_of == row]
        if _is_text(own):
            right, bottom = (own[:, :2] + own[:, 2:]).max(axis=0)
            boxes.append((int(own[:, 0].min()), int(own[:, 1].min()), int(right), int(bottom)))
    return boxes


def _is_text(marks: NDArray[np.int32]) -> bool:
    """Enough marks, wider than high, and of one size: letters of a line differ less than anatomy does."""
    if len(marks) < FEWEST_MARKS:
        return False
    height = np.median(marks[:, 3])
    alike = np.abs(marks[:, 3] - height) <= 0.5 * height
    spread = marks[:, 0].max() + marks[-1, 2] - marks[:, 0].min()
    return int(alike.sum()) >= FEWEST_MARKS and spread >= 1.5 * height
