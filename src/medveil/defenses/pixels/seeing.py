"""What counts as text in a view: what the network is sure of, and what it suspects where something else agrees.

Two things can agree with a weak suspicion: a row of marks shaped like letters, and a place near the border, where
nearly all burned-in text is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.detection.text_detector import SURE, find_lines
from medveil.defenses.pixels.lines import Box, Line
from medveil.defenses.pixels.text_shapes import NOISE_SHARE, find_text

BORDER = 0.12  # of the shorter side
LOWEST = 5  # pixels; a weak suspicion of less is a speck


def see_text(view: NDArray[np.uint8], window: Box | None = None) -> list[Line]:
    """All lines of text in the view, or in a window of it."""
    found = find_lines(view, window)
    sure = [line for line in found if line.score >= SURE]
    weak = [line for line in found if line.score < SURE and line.height >= LOWEST and line.length >= 2 * line.height]
    return sure + [line for line in weak if _at_border(line, view.shape) or _has_shapes_of_letters(line, view)]


def _has_shapes_of_letters(line: Line, view: NDArray[np.uint8]) -> bool:
    around = max(view.shape) / NOISE_SHARE / 2  # as far as the search for marks looks
    rows = find_text(view, line.grown(around, around).box(view.shape))
    return any(line.share_inside(Line.of_box(row)) > 0.3 for row in rows)


def _at_border(line: Line, shape: tuple[int, ...]) -> bool:
    reach = BORDER * min(shape)
    gaps = (line.x, shape[1] - line.x, line.y, shape[0] - line.y)
    return min(gaps) < reach
