"""Which lines of text may stay: those read, with certainty, as clinical markers. All others go, read or not.

Lines that stand together go together: one word that is no marker takes its whole block along, and a word that is
known to identify the patient takes lines of the same size nearby.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.known import KnownSearch
from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.markers import holds_marker, is_marker, is_short
from medveil.defenses.pixels.reader import HEIGHT, Reading, read
from medveil.defenses.pixels.rereading import is_readable

CERTAIN = 0.55  # of the least certain character; few other words could be misread as a whole marker
CERTAIN_SHORT = 0.9  # the same, of one or two characters
LONGEST = 14  # heights; no marker is longer
MOST_IN_A_BLOCK = 5
TOGETHER = 0.8  # heights between the lines of a block
NEARBY = 6  # heights around a known name within which lines of its size go too
LEGIBLE = 0.4  # certainty from which a word that is no marker takes its block along
LOWEST_WITH_PRINT = 24  # pixels; in a lower line there is no room for small print beside the marker
MARGIN = 0.18  # of the height, around what is read
OTHER_MARGINS = (0.0, 0.6)  # tried where the first reading comes close: a plate's edge reads like a letter

View = NDArray[np.uint8]


@dataclass
class Sorted:
    """Lines to remove, and lines that stay with what they say."""

    going: list[Line] = field(default_factory=list)
    kept: list[tuple[str, Line]] = field(default_factory=list)


@dataclass
class _Word:
    """One piece of text, with every rectangle it was seen as; the first stands for it."""

    lines: list[Line]
    text: str | None = None
    known: bool = False
    legible: bool = False  # it could be read, and is no marker

    @property
    def line(self) -> Line:
        return self.lines[0]


def sort_out(lines: list[Line], view: View, known: KnownSearch | None, *, keep_markers: bool) -> Sorted:
    """Decide line by line; without markers to keep, nothing is read."""
    if not keep_markers:
        return Sorted(going=list(lines))
    words = _words(lines)
    for block in _blocks(words):
        if len(block) > MOST_IN_A_BLOCK or any(_too_long(word.line) for word in block):
            continue
        for word in block:
            _read_marker(word, view, known)
            if word.text is None and word.legible:
                for other in block:
                    other.text = None
                break
    _spread_known(words)
    result = Sorted()
    for word in words:
        if word.text is None:
            result.going += word.lines
        else:
            result.kept.append((word.text, word.line))
    return result


def _words(lines: list[Line]) -> list[_Word]:
    """The same word is seen at several scales: rectangles that mostly share their place are one."""
    words: list[_Word] = []
    for line in sorted(lines, key=lambda one: (-round(one.score, 1), -one.area)):
        same = [word for word in words if any(_same(line, other) for other in word.lines)]
        if not same:
            words.append(_Word([line]))
            continue
        same[0].lines.append(line)
        for other in same[1:]:
            same[0].lines += other.lines
            words.remove(other)
    return words


def _same(one: Line, other: Line) -> bool:
    return one.share_inside(other) > 0.5 or other.share_inside(one) > 0.5


def _blocks(words: list[_Word]) -> list[list[_Word]]:
    blocks: list[list[_Word]] = []
    for word in words:
        near = [block for block in blocks if any(_together(word.line, other.line) for other in block)]
        blocks = [block for block in blocks if not any(block is one for one in near)]
        blocks.append([word, *(other for block in near for other in block)])
    return blocks


def _together(one: Line, other: Line) -> bool:
    small, large = sorted((one.height, other.height))
    return large <= 2 * small and one.distance(other) <= TOGETHER * large


def _too_long(line: Line) -> bool:
    return line.length > LONGEST * line.height


def _read_marker(word: _Word, view: View, known: KnownSearch | None) -> None:
    """Set the word's text where it reads as a marker in one of the ways it can stand."""
    for line in word.lines[:2]:
        margins = [MARGIN]
        for margin in margins:
            for turns in _ways(line):
                reading = _read(line, view, turns, margin)
                if known is not None and reading.text and known.matches_word(reading.text):
                    word.known = word.legible = True
                    return
                if _certain(reading) and (not is_short(reading.text) or _stands_alone(line, view, turns)):
                    word.legible = _small_print(word, line, reading.text, view)
                    word.text = None if word.legible else reading.text
                    return
                word.legible |= reading.confidence >= LEGIBLE and sum(map(str.isalnum, reading.text)) > 1
                if len(margins) == 1 and holds_marker(reading.text):
                    margins += OTHER_MARGINS


def _small_print(word: _Word, line: Line, text: str, view: View) -> bool:
    """Whether something far smaller than the marker, and touching it, can be read as well."""
    small = [one for one in word.lines if one.height < 0.6 * line.height]
    if any(is_readable(one, view, fewest=3) for one in small):
        return True
    if is_short(text) or line.height < LOWEST_WITH_PRINT:
        return False
    down = np.array([-line.along[1], line.along[0]]) * 0.45 * line.height
    rows = (replace(line.moved(*(side * down)), height=0.6 * line.height) for side in (-1, 1))
    return any(is_readable(row, view, fewest=len(text) + 3) for row in rows)


def _ways(line: Line) -> tuple[int, ...]:
    """Quarter turns to try: along the line and against it; across too where it is hardly longer than high."""
    return (0, 2, 1, 3) if line.length < 1.7 * line.height else (0, 2)


def _read(line: Line, view: View, turns: int, margin: float = MARGIN) -> Reading:
    grown = line.grown(margin * line.height, margin * line.height)
    return read(grown.cut_out(view, HEIGHT, quarter_turns=turns))


def _certain(reading: Reading) -> bool:
    least = CERTAIN_SHORT if is_short(reading.text) else CERTAIN
    return reading.confidence >= least and is_marker(reading.text)


def _stands_alone(line: Line, view: View, turns: int) -> bool:
    """A wider look shows no more letters: it was not a piece of a longer word."""
    aside, across = (0.8 * line.height, MARGIN * line.height)
    wide = line.grown(*((aside, across) if turns % 2 == 0 else (across, aside)))
    again = read(wide.cut_out(view, HEIGHT, quarter_turns=turns))
    return is_marker(again.text) or not again.text or again.confidence < 0.5


def _spread_known(words: list[_Word]) -> None:
    for named in [word for word in words if word.known]:
        height = named.line.height
        for other in words:
            alike = 0.65 * height <= other.line.height <= height / 0.65
            if alike and named.line.distance(other.line) <= NEARBY * height:
                other.text = None
