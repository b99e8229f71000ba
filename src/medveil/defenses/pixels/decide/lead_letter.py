"""A side in lead, and the initials of the technologist beside it: the letter stays and the initials go.

Lead lies as it fell: turned, mirrored, the initials in a row, askew or one above the other. So the marks are taken
one by one, each a letter of its own. An L is known by its shape too, and what stands in lines that go is an initial,
read or not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.decide.cached_reader import CachedReader
from medveil.defenses.pixels.decide.l_shape import is_l_shape
from medveil.defenses.pixels.decide.words import Look, View
from medveil.defenses.pixels.lines import Box, Line

LONGEST = 3.5  # heights of a line that may hold one
RIM = 0.2  # of the shorter side, from the border
LETTERS = frozenset({"L", "R"})
CERTAIN = 0.8  # of the reader, for the side,
LIKELY = 0.5  # and for an initial
STANDS_OUT = (0.35, 0.45, 0.55, 0.65, 0.8)  # of the brightest mark; letters that touch come apart at the higher levels
READ = (0.45, 0.65, 0.8)  # of these levels, those at which marks are read too, which takes longer than a look at shapes
AROUND = 2.6  # sizes of a line beside which the letter may stand, which is larger
SMALLEST = 6  # pixels
LARGEST_FIRST = 5  # marks that may be the side,
LEAST_SIDE = 0.45  # of the height of a line, which may be drawn around all of a plate, that it measures
REACH = 0.9  # of the letter's size within which its initials stand
INITIAL = (0.22, 0.85)  # of the letter's size
ALIKE = 1.5  # times the size, from one initial to the next
SOLID = 0.75  # of its box that a letter fills at most; a ball fills more,
CONVEX = 0.9  # and so does an M, which fills less of the hull around it than a ball
MOST_INITIALS = 5
FAINTEST = 8.0  # gray levels
THICKEST = 0.6  # sizes of a line, that a stroke is thick
LEAST_SHAPE = 12  # pixels of an L that is known by its shape
MOSTLY = 0.6  # of a mark, in a line
HOLLOW = 0.3  # of its box that a ring encloses, and no letter; a ring around a side reads like the side
DILATED = 2  # pixels around strokes
BLUR = 0.12  # of how far initials stand out, that is their blur, if it stands so near to them
WITHIN = 0.8  # of a mark, in the box of the letter: it is no initial beside it
FILLED = 0.7  # of a line along which its marks stand, if it is all of the line
EQUAL = 0.85  # of the letter's size, from which a mark is no initial,
TIGHT = 0.35  # and of it, within which the next letter of a word stands
CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.uint8)  # a pixel and its four neighbours


@dataclass(frozen=True, eq=False)
class LeadLetter:
    """What it says, its line, and in the box of an image the pixels that are its own, and those of the initials."""

    text: str
    line: Line
    box: Box
    ink: NDArray[np.bool_]
    initials: NDArray[np.bool_]

    def covers(self, line: Line) -> bool:
        """Whether a line is about these letters and nothing else."""
        return line.length <= LONGEST * line.height and line.share_inside(Line.of_box(self.around)) > 0.5

    def fills(self, line: Line) -> bool:
        """Whether its marks stand all along a line, so that there is nothing else in it."""
        marks = cv2.dilate((self.ink | self.initials).astype(np.uint8), np.ones((3, 3), np.uint8))
        strip = line.moved(-self.box[0], -self.box[1]).cut_out(marks, max(1, round(line.height)))
        return bool(strip.any(axis=0).mean() >= FILLED)

    def all_going(self) -> LeadLetter:
        """The same, with the letter among what goes."""
        return replace(self, ink=np.zeros_like(self.ink), initials=self.ink | self.initials)

    def is_touched(self, going: list[Line]) -> bool:
        """Whether short lines that go would take some of it, and no longer one."""
        return not self.is_among(going) and any(line.distance(self.line) == 0 for line in going)

    def is_among(self, going: list[Line]) -> bool:
        """Whether it is a letter among others, of a longer line that goes."""
        return any(line.distance(self.line) == 0 for line in going if line.length > LONGEST * line.height)

    @property
    def around(self) -> Box:
        left, top, _, _ = self.box
        y, x = np.nonzero(self.ink | self.initials)
        return left + int(x.min()), top + int(y.min()), left + int(x.max()) + 1, top + int(y.max()) + 1


def find_lead_letter(
    line: Line, view: View, read: CachedReader, going: list[Line], staying: list[Line]
) -> LeadLetter | None:
    """The side, if one of the largest marks in and around a short line at the rim reads as one or has an L's shape.

    Its initials are among what goes, and none of the markers that stay.
    """
    rows, columns = view.shape
    at_rim = min(line.x, columns - line.x, line.y, rows - line.y) < RIM * min(rows, columns)
    if not at_rim or line.length > LONGEST * line.height:
        return None
    size = max(line.length, line.height)
    left, top, right, bottom = box = line.grown(AROUND * size, AROUND * size).box(view.shape)
    part = np.ascontiguousarray(view[top:bottom, left:right])
    if min(part.shape) < 2 * SMALLEST:
        return None
    under = np.zeros(part.shape, np.uint8)
    line.moved(-left, -top).paint(under, 1)
    found: LeadLetter | None = None
    for (tone, peak), level in product(_standing_out(part, under, size), STANDS_OUT):
        marks, boxes = _marks(tone, level * peak)
        boxes = {one: place for one, place in boxes.items() if not _is_in(_line_of(place, left, top), staying)}
        words = _in_words(boxes, box, going)
        loose = {one: place for one, place in boxes.items() if one not in words}
        side = _side(marks, loose, box, line, read if level in READ else None)
        if side is not None:
            letter = _with_initials(*side, marks, tone, boxes, box, read, going)
            if found is None or letter.initials.any() > found.initials.any():
                found = letter
        if found is not None and found.initials.any():
            break
    return found


def _side(
    marks: NDArray[np.int32], boxes: dict[int, Box], box: Box, line: Line, read: CachedReader | None
) -> tuple[str, int] | None:
    """What it says and its number: of the largest marks the first that is an L by its shape, or, of those that are
    close to the line, reads as a side.
    """
    large = [one for one in boxes if max(boxes[one][2:]) >= LEAST_SIDE * line.height]
    largest = sorted(large, key=lambda one: -max(boxes[one][2:]))[:LARGEST_FIRST]
    for number in largest:
        if _is_l(marks == number, boxes[number]):
            return "L", number
    if read is None:
        return None
    lines = {number: _line_of(boxes[number], box[0], box[1]) for number in largest}
    lines = {number: one for number, one in lines.items() if one.distance(line) == 0}
    read([look for one in lines.values() for look in _looks(one)])  # in one go
    for number, one in lines.items():
        text = _read_as(one, read, LETTERS, CERTAIN)
        if text is not None and not _is_ring(marks == number, boxes[number]):
            return text, number
    return None


def _with_initials(
    text: str,
    number: int,
    marks: NDArray[np.int32],
    tone: View,
    boxes: dict[int, Box],
    box: Box,
    read: CachedReader,
    going: list[Line],
) -> LeadLetter:
    lines = {one: _line_of(place, box[0], box[1]) for one, place in boxes.items()}
    letter, others = marks == number, np.isin(marks, _initials(number, lines, read, going))
    return LeadLetter(text, lines[number], box, _dilated(letter), _with_blur(others, tone) & ~letter)


def _is_ring(mark: NDArray[np.bool_], box: Box) -> bool:
    x, y, width, height = box
    part = mark[y : y + height, x : x + width].astype(np.uint8)
    outlines, _ = cv2.findContours(part, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = cv2.drawContours(np.zeros_like(part), outlines, -1, 1, cv2.FILLED)
    return int(filled.sum()) - int(part.sum()) > HOLLOW * width * height


def _is_l(mark: NDArray[np.bool_], box: Box) -> bool:
    x, y, width, height = box
    return max(width, height) >= LEAST_SHAPE and is_l_shape(mark[y : y + height, x : x + width])


def _initials(letter: int, lines: dict[int, Line], read: CachedReader, going: list[Line]) -> list[int]:
    """The marks beside the letter that read as letters or stand in lines that go, and those in a row with them."""
    beside = [one for one in lines if one != letter and _is_beside(lines[one], lines[letter])]
    found = [one for one in beside if _is_in(lines[one], going)]
    rest = [one for one in beside if one not in found]
    read([look for one in rest for look in _looks(lines[one])])
    found += [one for one in rest if _read_as(lines[one], read, None, LIKELY) is not None]
    for one in found:  # grows on the way
        found += [other for other in lines if other not in (letter, *found) and _is_next(lines[other], lines[one])]
    return found if len(found) <= MOST_INITIALS else []


def _standing_out(part: View, under: View, size: float) -> list[tuple[View, float]]:
    """How far light marks stand out, with the strongest under the line, and the same of dark ones where those are
    stronger. Lead is light but on films that are shown inverted; the gaps between its letters are dark, too.
    """
    kernel = np.ones((max(5, round(THICKEST * size)) | 1,) * 2, np.uint8)
    tones = [np.asarray(cv2.morphologyEx(part, how, kernel)) for how in (cv2.MORPH_TOPHAT, cv2.MORPH_BLACKHAT)]
    peaks = [float(np.percentile(tone[under > 0], 97)) if under.any() else 0.0 for tone in tones]
    return [(tone, max(peak, FAINTEST)) for tone, peak in zip(tones, peaks, strict=True) if peak >= peaks[0]]


def _marks(tone: View, level: float) -> tuple[NDArray[np.int32], dict[int, Box]]:
    """Connected marks that stand out so far, and the boxes of such as may be letters."""
    count, marks, stats, _ = cv2.connectedComponentsWithStats((tone > level).astype(np.uint8))
    boxes = {}
    for number in range(1, count):
        x, y, width, height, area = (int(value) for value in stats[number])
        inside = x > 0 and y > 0 and x + width < tone.shape[1] and y + height < tone.shape[0]
        if not inside or max(width, height) < SMALLEST:
            continue
        if area <= SOLID * width * height or _is_concave(marks[y : y + height, x : x + width] == number, area):
            boxes[number] = (x, y, width, height)
    return marks, boxes


def _is_concave(mark: NDArray[np.bool_], area: int) -> bool:
    hull = cv2.convexHull(cv2.findNonZero(mark.astype(np.uint8)))
    filled = cv2.fillConvexPoly(np.zeros(mark.shape, np.uint8), hull, 1)
    return area < CONVEX * int(filled.sum())


def _is_in(mark: Line, lines: list[Line]) -> bool:
    return any(mark.share_inside(line.grown(2, 2)) > MOSTLY for line in lines)


def _line_of(box: tuple[int, int, int, int], left: int, top: int) -> Line:
    x, y, width, height = box
    return Line.of_box((left + x, top + y, left + x + width, top + y + height))


def _is_beside(mark: Line, letter: Line) -> bool:
    """Of an initial's size, close to the letter and not within it, as what an R encloses is."""
    least, most = INITIAL
    alike = least <= mark.length / letter.length <= most
    return alike and mark.distance(letter) <= REACH * letter.length and mark.share_inside(letter) < WITHIN


def _in_words(boxes: dict[int, Box], box: Box, going: list[Line]) -> set[int]:
    """The marks that stand tightly beside another of their size in a line that goes: letters of a word."""
    lines = {one: _line_of(place, box[0], box[1]) for one, place in boxes.items()}
    found: set[int] = set()
    for line in going:  # few marks stand in one, and only those need be held against one another
        within = [one for one in lines if _is_in(lines[one], [line])]
        found |= {one for one in within if any(_is_tight(lines[one], lines[other]) for other in within if other != one)}
    return found


def _is_tight(letter: Line, other: Line) -> bool:
    alike = EQUAL <= other.length / letter.length <= 1 / EQUAL
    return alike and 0 < letter.distance(other) <= TIGHT * letter.length


def _is_next(mark: Line, initial: Line) -> bool:
    alike = 1 / ALIKE <= mark.length / initial.length <= ALIKE
    return alike and mark.distance(initial) <= REACH * initial.length


def _read_as(line: Line, read: CachedReader, wanted: frozenset[str] | None, sure: float) -> str | None:
    """The letter that a mark reads as, of those wanted or of all, in one of the ways lead can lie."""
    found = [
        (reading.confidence, reading.text)
        for reading in read(_looks(line))
        if reading.letters and reading.confidence >= sure and (wanted is None or reading.text in wanted)
    ]
    return max(found)[1] if found else None


def _looks(line: Line) -> list[Look]:
    return [Look(line, turns, mirrored=mirrored) for mirrored in (False, True) for turns in range(4)]


def _with_blur(marks: NDArray[np.bool_], tone: View) -> NDArray[np.bool_]:
    """Strokes and their blur, but not the gaps between them."""
    if not marks.any():
        return marks
    blur = _dilated(marks) & (tone > BLUR * float(np.percentile(tone[marks], 90)))
    return np.asarray(cv2.dilate(marks.astype(np.uint8), CROSS) > 0) | blur


def _dilated(mark: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return cv2.dilate(mark.astype(np.uint8), np.ones((2 * DILATED + 1,) * 2, np.uint8)) > 0
