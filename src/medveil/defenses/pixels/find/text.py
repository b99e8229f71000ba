"""What counts as text in a view: what the network is sure of, and what it suspects where something else agrees.

Three things can agree with a weak suspicion: a place near the border, where nearly all burned-in text is, a row of
marks shaped like letters, and that it can be read.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.find.detector import SURE, WEAK, find_lines
from medveil.defenses.pixels.find.letter_rows import NOISE_SHARE, find_letter_rows
from medveil.defenses.pixels.lines import Box, Line
from medveil.defenses.pixels.read.legibility import are_readable

BORDER = 0.12  # of the shorter side
LOWEST = 5  # pixels; a weak suspicion of less is a speck
FEWEST = 2  # letters or digits to be read


def find_text(view: NDArray[np.uint8], window: Box | None = None) -> list[Line]:
    """All lines of text in the view, or in a window of it."""
    found = find_lines(view, window)
    sure = [line for line in found if line.score >= SURE]
    weak = [line for line in found if line.score < SURE and line.height >= LOWEST]
    agreed = [line for line in weak if _at_border(line, view) or _has_shapes(line, view)]
    rest = [line for line in weak if line not in agreed]
    read = are_readable(rest, view, fewest=FEWEST)
    return sure + agreed + [line for line, readable in zip(rest, read, strict=True) if readable]


def _has_shapes(line: Line, view: NDArray[np.uint8]) -> bool:
    around = max(view.shape) / NOISE_SHARE / 2  # as far as the search for marks looks
    rows = find_letter_rows(view, line.grown(around, around).box(view.shape))
    return any(line.share_inside(Line.of_box(row)) > 0.3 for row in rows)


def _at_border(line: Line, view: NDArray[np.uint8]) -> bool:
    """Single marks aside, and doubted lines: shoulders and spines end there as well."""
    if line.score < WEAK or line.length < 2 * line.height:
        return False
    rows, columns = view.shape
    return min(line.x, columns - line.x, line.y, rows - line.y) < BORDER * min(rows, columns)
