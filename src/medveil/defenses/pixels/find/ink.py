"""Ink of one tone: what a console burns in is as light at its first letter as at its last, whatever it stands on.

So a line goes on where marks of its tone and size follow in its row, though they hardly stand out there.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.lines import Line

HEIGHT = 40  # pixels at which a line is looked at
THICKEST = 0.4  # of a line's height that a stroke may be thick
NEARLY = 3  # gray levels from the tone that are the tone,
MOSTLY = 0.38  # and the share of the strokes that have it, if there is one
CORE = 0.8  # of the strongest marks' difference: the middle of a stroke, not its rim
AROUND = 0.9  # heights, of the square around a pixel
STANDS_OUT = 5  # gray levels by which a mark differs from what is around it, at least
AHEAD = 2.4  # heights beyond a line in which it may go on
MOST_STEPS = 8
LETTER = (0.35, 1.1)  # of the line's height that a letter is high
WIDEST = 1.4  # heights
SLIMMEST = 0.05  # heights, of its thinner side
FEWEST = 2  # marks that a line goes on with; one may be anything

View = NDArray[np.uint8]


def tone_of(strip: View) -> int | None:
    """The gray level of the strokes in an upright strip, if most have one and the same."""
    away = _away(strip)
    strokes = strip[away > max(CORE * float(np.percentile(away, 97)), STANDS_OUT)]
    if not strokes.size:
        return None
    counts = np.bincount(strokes, minlength=256).astype(np.float32)
    near = np.convolve(counts, np.ones(2 * NEARLY + 1, np.float32), "same")
    return int(near.argmax()) if near.max() >= MOSTLY * strokes.size else None


def of_tone(part: View, tone: int, thick: int) -> View:
    """1 where a piece of an image is of this tone, in marks no thicker than that."""
    same = (np.abs(part.astype(np.int16) - tone) <= NEARLY).astype(np.uint8)
    wide = cv2.morphologyEx(same, cv2.MORPH_OPEN, np.ones((thick, thick), np.uint8))
    return np.asarray(same & (1 - wide), dtype=np.uint8)


def followed_by_tone(line: Line, view: View) -> Line:
    """The line with all that follows at either end in its row, in letters of its tone and size."""
    tone = tone_of(line.cut_out(view, HEIGHT))
    if tone is None:
        return line
    for way in (-1, 1):
        for _ in range(MOST_STEPS):
            reach = _reach(line, way, view, tone)
            if not reach:
                break
            line = replace(line.moved(*(line.along * way * reach / 2)), length=line.length + reach)
    return line


def _reach(line: Line, way: int, view: View, tone: int) -> float:
    """How far it goes on at one end, in pixels; 0 where it does not."""
    ahead = line.moved(*(line.along * way * (line.length + AHEAD * line.height) / 2))
    ahead = replace(ahead, length=AHEAD * line.height)
    rows, columns = view.shape
    if not (0 <= ahead.x < columns and 0 <= ahead.y < rows):
        return 0.0
    strip = ahead.cut_out(view, HEIGHT)
    strip = strip if way > 0 else np.ascontiguousarray(strip[:, ::-1])
    marks = of_tone(strip, tone, _odd(THICKEST * HEIGHT))
    standing = marks * (_away(strip) >= STANDS_OUT).astype(np.uint8)
    count, _, boxes, _ = cv2.connectedComponentsWithStats(standing, connectivity=8)
    low, high = (share * HEIGHT for share in LETTER)
    ends = [
        x + width
        for x, _, width, height, area in boxes[1:count]
        if low <= height <= high and width <= WIDEST * HEIGHT and area >= SLIMMEST * HEIGHT * height
        if x + width < strip.shape[1]
    ]
    return max(ends) * line.height / HEIGHT if len(ends) >= FEWEST else 0.0


def _away(strip: View) -> View:
    """How far each pixel is from the mean of its surroundings."""
    size = _odd(AROUND * HEIGHT)
    return np.asarray(cv2.absdiff(strip, cv2.blur(strip, (size, size))))


def _odd(size: float) -> int:
    return max(3, round(size)) | 1
