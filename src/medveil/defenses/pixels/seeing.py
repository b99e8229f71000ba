"""What counts as text in a view: what the network is sure of, and what it suspects where something else agrees.

Two things can agree with a weak suspicion: a row of marks shaped like letters, and a place near the border, where
nearly all burned-in text is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.detection.text_detector import SURE, find_lines
from medveil.defenses.pixels.lines import Box, Line
from medveil.defenses.pixels.text_shapes import find_text

BORDER = 0.12  # of the shorter side
LOWEST = 5  # pixels; a weak suspicion of less is a speck


def see_text(view: NDArray[np.uint8], window: Box | None = None) -> list[Line]:
    """All lines of text in the view, or in a window of it."""
    found = find_lines(view, window)
    sure = [line for line in found if line.score >= SURE]
    weak = [line for line in found if line.score < SURE and line.height >= LOWEST and line.length >= 2 * line.height]
    if not weak:
        return sure
    left, top, right, bottom = window or (0, 0, view.shape[1], view.shape[0])
    shapes = [Line.of_box(box).moved(left, top) for box in find_text(view[top:bottom, left:right])]
    return sure + [
        line for line in weak if _at_border(line, view.shape) or any(line.share_inside(row) > 0.3 for row in shapes)
    ]


def _at_border(line: Line, shape: tuple[int, ...]) -> bool:
    reach = BORDER * min(shape)
    gaps = (line.x, shape[1] - line.x, line.y, shape[0] - line.y)
    return min(gaps) < reach
