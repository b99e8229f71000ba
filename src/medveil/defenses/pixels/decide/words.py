"""Words of an image: rectangles that show the same text, the ways to cut one out, and blocks that stand together."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.decide.markers import is_marker
from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.read.reader import HEIGHT, Reading

MARGIN = 0.18  # of the height, around what is read
LEGIBLE = 0.5  # certainty of each letter from which a word that is no marker takes its block along
BEYOND = 0.3  # heights beyond the image's edge that show nothing yet
WIDEST = 24  # heights; longer lines are read in part, which is enough
ACROSS = 2.4  # heights; shorter lines may be a letter or two written across
TOGETHER = 0.8  # heights between the lines of a block
ALIKE = 1.5  # times the height, of what stands together
BESIDE = 0.6  # heights that the middles of a row are apart at most
REACH = 4  # times the line's longer side that the letter may measure
FARTHEST = 200  # pixels around the line that are looked at
SQUARE = 1.7  # heights; a shorter line may be drawn askew around a letter,
LEAST = 0.6  # and the letter is only this share as high
SLIMMEST = 0.25  # of the letter's height

View = NDArray[np.uint8]


@dataclass(frozen=True)
class Look:
    """A line as it is cut out: turned by quarters, mirrored or not, with room at its ends and across."""

    line: Line
    turns: int
    aside: float = MARGIN
    across: float = MARGIN
    mirrored: bool = False

    def same_way(self, other: Look) -> bool:
        return math.cos(self._direction - other._direction) > 0.7

    def runs_along(self, line: Line) -> bool:
        """Whether a line runs as the letters do, from either end."""
        return abs(math.cos(self._direction - line.angle)) > 0.7

    @property
    def _direction(self) -> float:
        return self.line.angle + self.turns * math.pi / 2

    def strip(self, view: View, height: int = HEIGHT) -> View:
        aside, across = self.aside * self.line.height, self.across * self.line.height
        grown = self.line.grown(*((aside, across) if self.turns % 2 == 0 else (across, aside)))
        strip = grown.cut_out(view, height, quarter_turns=self.turns)[:, : WIDEST * height]
        return np.ascontiguousarray(strip[:, ::-1]) if self.mirrored else strip

    def is_inside(self, view: View) -> bool:
        """Whether it shows the image alone, and hardly anything beyond its edge."""
        rows, columns = view.shape
        aside, across = self.aside * self.line.height, self.across * self.line.height
        corners = self.line.grown(*((aside, across) if self.turns % 2 == 0 else (across, aside))).corners
        room = BEYOND * self.line.height
        return bool((corners > -room).all() and (corners < (columns + room, rows + room)).all())

    def row(self, reach: float) -> Line:
        """The line, longer by so many heights of its letters at either end."""
        if self.turns % 2 == 0:
            return self.line.grown(reach * self.line.height, 0)
        return self.line.grown(0, reach * self.line.length)

    def halves(self) -> list[Look]:
        """The upper and the lower half of the line, each somewhat wider."""
        down = np.array([-self.line.along[1], self.line.along[0]]) * 0.45 * self.line.height
        halves = (replace(self.line.moved(*(side * down)), height=0.6 * self.line.height) for side in (-1, 1))
        return [replace(self, line=half) for half in halves]


@dataclass(eq=False)
class Word:
    """One piece of text, with every rectangle it was seen as; the first stands for it."""

    lines: list[Line]
    readings: list[tuple[Look, Reading]] = field(default_factory=list)
    known: bool = False
    is_type: bool = False  # by the evidence
    is_letter: bool = False  # the same, of a single one
    text: str | None = None
    seen: Look | None = None  # the look by which it was read

    @property
    def line(self) -> Line:
        return self.lines[0]

    @property
    def legible(self) -> bool:
        """Whether letters can be read that are no marker's."""
        return any(is_legible(reading) for _, reading in self.readings)


def is_legible(reading: Reading) -> bool:
    return reading.letters > 1 and reading.confidence >= LEGIBLE and not is_marker(reading.text)


def words_of(lines: list[Line]) -> list[Word]:
    """The same word is seen at several scales: rectangles that mostly share their place are one."""
    words: list[Word] = []
    for line in sorted(lines, key=lambda one: (-round(one.score, 1), -one.area)):
        same = [word for word in words if any(is_same_place(line, other) for other in word.lines)]
        if not same:
            words.append(Word([line]))
            continue
        same[0].lines.append(line)
        for other in same[1:]:
            same[0].lines += other.lines
            words.remove(other)
    return words


def is_same_place(one: Line, other: Line) -> bool:
    return one.share_inside(other) > 0.5 or other.share_inside(one) > 0.5


def blocks_of(words: list[Word]) -> list[list[Word]]:
    blocks: list[list[Word]] = []
    for word in words:
        near = [block for block in blocks if any(stand_together(word.line, other.line) for other in block)]
        blocks = [block for block in blocks if not any(block is one for one in near)]
        blocks.append([word, *(other for block in near for other in block)])
    return blocks


def stand_together(one: Line, other: Line) -> bool:
    """Of one size and in one row: above and below may stand anything."""
    small, large = sorted((one.height, other.height))
    return large <= ALIKE * small and one.distance(other) <= TOGETHER * large and _in_a_row(one, other)


def _in_a_row(one: Line, other: Line) -> bool:
    """Along the longer of the two; of two that may stand either way, along either."""
    longer = max(one, other, key=lambda line: line.length / line.height)
    away = np.array([other.x - one.x, other.y - one.y])
    along = longer.along
    beside = abs(float(away @ np.array([-along[1], along[0]])))
    if is_square(longer):
        beside = min(beside, abs(float(away @ along)))
    return beside < BESIDE * longer.height


def is_square(line: Line) -> bool:
    return line.length < ACROSS * line.height


def whole_letter(line: Line, view: View) -> list[Line]:
    """Upright boxes of the light and of the dark mark under the line, if there is one that stands alone.

    Of a large letter by itself, often only a serif looks like text.
    """
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
