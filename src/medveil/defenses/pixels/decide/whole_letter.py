"""The letter that a small line is a part of: of a large letter standing alone, often only a serif looks like text."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.lines import Line

REACH = 4  # times the line's longer side that the letter may measure
FARTHEST = 200  # pixels around the line that are looked at
SQUARE = 1.7  # heights; a shorter line may be drawn askew around a letter,
LEAST = 0.6  # and the letter is only this share as high
SLIMMEST = 0.25  # of the letter's height


def whole_letter(line: Line, view: NDArray[np.uint8]) -> list[Line]:
    """Upright boxes of the light and of the dark mark under the line, if there is one that stands alone."""
    aside = min(REACH * line.length, FARTHEST)
    left, top, right, bottom = line.grown(aside, aside).box(view.shape)
    part = np.ascontiguousarray(view[top:bottom, left:right])
    if min(part.shape) < 8:
        return []
    under = np.zeros(part.shape, np.uint8)
    line.moved(-left, -top).paint(under, 1)
    level, _ = cv2.threshold(part[under > 0], 0, 1, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    light = (part > level).astype(np.uint8)
    found = (_mark_under(mask, under) for mask in (light, 1 - light))
    return [
        Line.of_box((left + x, top + y, left + x + width, top + y + height), line.score)
        for x, y, width, height in (box for box in found if box is not None)
        if _like_a_letter(line, width, height)
    ]


def _mark_under(mask: NDArray[np.uint8], under: NDArray[np.uint8]) -> tuple[int, int, int, int] | None:
    """The box of the connected mark that fills most of what lies under the line, unless it goes on beyond the piece."""
    _, marks, boxes, _ = cv2.connectedComponentsWithStats(mask)
    counts = np.bincount(marks[(under & mask) > 0], minlength=len(boxes))
    if not counts.any():
        return None
    x, y, width, height = (int(value) for value in boxes[int(counts.argmax()), :4])
    inside = x > 0 and y > 0 and x + width < mask.shape[1] and y + height < mask.shape[0]
    return (x, y, width, height) if inside else None


def _like_a_letter(line: Line, width: int, height: int) -> bool:
    small, large = sorted((width, height))
    least = LEAST if line.length < SQUARE * line.height else 1.0
    return small >= SLIMMEST * large and least * line.height <= large <= REACH * line.length
