"""Whether anything can be read in a line, whichever way up it stands, and a view without what was read already."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.read.reader import HEIGHT, read_many
from medveil.defenses.pixels.read.second_reader import HEIGHT as SECOND_HEIGHT
from medveil.defenses.pixels.read.second_reader import second_opinion

READABLE = 0.5  # certainty of the least certain character
PATCH = 6  # pixels around a marker that are taken for its background
MARGIN = 0.15  # of the height, around what is read
WIDEST = 24  # heights; longer ones are read in part, which is enough


def are_readable(lines: list[Line], view: NDArray[np.uint8], *, fewest: int) -> list[bool]:
    """Whether at least so many letters or digits can be read of each, in one of the ways it can stand."""
    ways = [(number, turns) for number, line in enumerate(lines) for turns in _ways(line)]
    strips = [_strip(lines[number], view, HEIGHT, turns) for number, turns in ways]
    read = [False] * len(lines)
    for (number, turns), reading in zip(ways, read_many(strips), strict=True):
        if not read[number] and reading.letters > 0:
            text, confidence = second_opinion(_strip(lines[number], view, SECOND_HEIGHT, turns))
            read[number] = confidence >= READABLE and sum(letter.isalnum() for letter in text) >= fewest
    return read


def _ways(line: Line) -> tuple[int, ...]:
    """Quarter turns by which it may stand upright."""
    return (0, 2, 1, 3) if line.length < 1.7 * line.height else (0, 2)


def _strip(line: Line, view: NDArray[np.uint8], height: int, turns: int) -> NDArray[np.uint8]:
    grown = line.grown(MARGIN * line.height, MARGIN * line.height)
    return grown.cut_out(view, height, quarter_turns=turns)[:, : WIDEST * height]


def without(markers: list[Line], view: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The view with plain patches where markers are, so that what can be read is something else."""
    rest = view.copy()
    for line in markers:
        left, top, right, bottom = line.grown(PATCH, PATCH).box(view.shape)
        line.grown(PATCH / 2, PATCH / 2).paint(rest, int(np.median(view[top:bottom, left:right])))
    return rest
