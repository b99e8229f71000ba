"""Burned-in text: everything shaped like a line of text is covered, then the image is searched again."""

from __future__ import annotations

import cv2
import numpy as np

from medveil.defenses.keys import Keys
from medveil.defenses.pixels.text_shapes import Box, find_text
from medveil.errors import Quarantined
from medveil.parts import Guarantee, Record, register_defense

ROUNDS = 4
MOST_COVERED = 0.25  # of the image; beyond it, little is left to release and something is wrong


@register_defense
class CoveredText:
    """Covers text-like rows with black until none is found; quarantines what will not come clean."""

    name = "cover-text"
    title = "Text burned into the image"
    covers = ("pixels",)
    order = 30
    guarantee = Guarantee(
        "none",
        "Everything shaped like a line of three or more letters that stands out from its surroundings by about a tenth "
        "of the gray scale is covered, and the result is searched again. The text is not read, so nothing proves "
        "that all of it was found.",
    )
    limits = (
        "Text fainter than a tenth of the gray scale, upright or strongly slanted text, and single letters stay.",
        "Wires, pacemaker circuits and fine bone edges are sometimes covered too.",
    )

    def __init__(self, keys: Keys) -> None: ...

    def apply(self, record: Record) -> Record:
        image = record.image.copy()
        for _ in range(ROUNDS):
            boxes = find_text(image)
            if not boxes:
                record.image = image
                return record
            for left, top, right, bottom in blocks(boxes, image.shape):
                image[top:bottom, left:right] = 0
                record.note("text-like regions covered")
            if (image == 0).mean() - (record.image == 0).mean() > MOST_COVERED:
                break
        raise Quarantined("text in the image could not be removed")


def blocks(boxes: list[Box], shape: tuple[int, ...]) -> list[Box]:
    """Rectangles around lines that lie close together: where one line's faint end was missed, its neighbour helps."""
    canvas = np.zeros(shape, np.uint8)
    for left, top, right, bottom in map(widened, boxes):
        canvas[top:bottom, left:right] = 1
    found = cv2.connectedComponentsWithStats(canvas)[2][1:, :4]
    return [(int(x), int(y), int(x + width), int(y + height)) for x, y, width, height in found]


def widened(box: Box) -> Box:
    """Half a letter above and below, four letters to the sides: a line's faint ends are easily missed."""
    left, top, right, bottom = box
    height = bottom - top
    up, aside = height // 2 + 2, 4 * height
    return max(0, left - aside), max(0, top - up), right + aside, bottom + up
