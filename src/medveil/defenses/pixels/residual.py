"""After painting: is what the detector still sees writing, or anatomy cut off at the edge of a painted patch?

Anatomy that ends in a straight edge resembles letters cut in half. So a second look counts where the evidence says
type, or where some of it does and it goes on in the line of what was removed.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.decide.cached_reader import CachedReader
from medveil.defenses.pixels.decide.evidence import SUSPECTED, Evidence, Finding, weigh
from medveil.defenses.pixels.find.detector import find_lines
from medveil.defenses.pixels.find.views import View
from medveil.defenses.pixels.lines import Box, Line
from medveil.defenses.pixels.paint.mask import boxes_around
from medveil.defenses.pixels.read.legibility import without

MARGIN = 128  # pixels around what was painted that are looked at again
FEWEST_LETTERS = 3  # that are read in a line around a marker, if there is more in it than the marker
MOST_READ = 64  # lines in a window; more are taken for text unread


def residual_text(
    views: list[View], mask: NDArray[np.float32], kept: list[tuple[str, Line]], removed: list[Line]
) -> list[Line]:
    """Text still seen in or near what was painted; elsewhere nothing has changed."""
    left = []
    for view in views:
        rest = without([line for _, line in kept], view)
        for window in _windows(mask > 0):
            seen = [line for line in find_lines(view, window) if _touches(line, mask)]
            seen = [line for line in seen if not any(is_part_of(line, one) for _, one in kept)]
            if len(seen) > MOST_READ:
                left += seen
                continue
            for line, one in zip(seen, weigh(seen, rest, CachedReader(rest)), strict=True):
                goes_on = one.score >= SUSPECTED and any(_goes_on(line, gone) for gone in removed)
                if (one.finding is Finding.TYPE and not _is_around_marker(line, one, kept)) or goes_on:
                    left.append(line)
    return left


def _is_around_marker(line: Line, evidence: Evidence, kept: list[tuple[str, Line]]) -> bool:
    """Whether a line is drawn around a marker that stays and there is nothing else to read in it: a plate of lead."""
    return evidence.reading.letters < FEWEST_LETTERS and any(one.share_inside(line) > 0.5 for _, one in kept)


def _touches(line: Line, mask: NDArray[np.float32]) -> bool:
    """Whether it lies at or in what was painted; what does not was judged when the whole image was looked at."""
    near = line.grown(line.height, line.height / 2)
    left, top, right, bottom = near.box(mask.shape)
    canvas = np.zeros((bottom - top, right - left), np.uint8)
    near.moved(-left, -top).paint(canvas)
    return bool((mask[top:bottom, left:right] * canvas).any())


def is_part_of(line: Line, marker: Line) -> bool:
    return line.share_inside(marker.grown(4, 4)) > 0.5


def _windows(hole: NDArray[np.bool_]) -> list[Box]:
    """Boxes around what was painted, with room; one for all where they would cover most of the image."""
    rows, columns = hole.shape
    canvas = np.zeros(hole.shape, bool)
    for left, top, right, bottom in boxes_around(hole):
        canvas[max(0, top - MARGIN) : bottom + MARGIN, max(0, left - MARGIN) : right + MARGIN] = True
    windows = boxes_around(canvas)
    if sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in windows) > 0.6 * rows * columns:
        return [(0, 0, columns, rows)]
    return windows


def _goes_on(line: Line, removed: Line) -> bool:
    """Same direction, same height, in one row and close: a piece of the line that was not covered."""
    if not 0.6 <= line.height / max(removed.height, 1e-6) <= 1.6 or line.length < 1.2 * line.height:
        return False
    if abs(math.sin(line.angle - removed.angle)) > 0.2:
        return False
    away = np.array([line.x - removed.x, line.y - removed.y])
    beside = abs(float(away @ np.array([-removed.along[1], removed.along[0]])))
    gap = abs(float(away @ removed.along)) - (line.length + removed.length) / 2
    return beside < 0.4 * removed.height and gap < 2 * removed.height
