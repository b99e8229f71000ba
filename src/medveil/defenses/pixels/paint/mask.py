"""The mask over lines of text: widened boxes, solid over the text, soft at the rim."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.lines import Box, Line

ASIDE = 0.85  # heights a line is made longer at each end
ACROSS = 0.2  # heights it is made higher on each side
LEAST = 3  # pixels, of either
RIM = 5  # pixels over which the mask fades


def soft_mask(lines: Iterable[Line], shape: tuple[int, ...], *, harder: float = 1.0) -> NDArray[np.float32]:
    """1 over the widened lines, falling to 0 around them; whatever is above 0 may change."""
    canvas = np.zeros(shape[:2], np.uint8)
    for line in lines:
        widened(line, harder).paint(canvas)
    mask = np.zeros(canvas.shape, np.float32)
    x, y, width, height = cv2.boundingRect(canvas)
    if not width:
        return mask
    near = np.s_[max(0, y - RIM - 1) : y + height + RIM + 1, max(0, x - RIM - 1) : x + width + RIM + 1]
    away = cv2.distanceTransform(255 - canvas[near], cv2.DIST_L2, 3)
    mask[near] = np.clip(1 - away / np.float32(RIM + 1), 0, 1)
    return mask


def widened(line: Line, harder: float = 1.0) -> Line:
    aside = max(LEAST, ASIDE * line.height) * harder
    across = max(LEAST, ACROSS * line.height) * harder
    return line.grown(aside, across)


def boxes_around(mask: NDArray[np.bool_]) -> list[Box]:
    """One for each part of the mask that hangs together."""
    outlines, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    found = sorted(cv2.boundingRect(outline) for outline in outlines)
    return [(x, y, x + width, y + height) for x, y, width, height in found]
