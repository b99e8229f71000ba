"""Which lines of text may stay: those read, with certainty, as clinical markers. All others go, read or not.

Lines that stand together go together: one word that is no marker takes its whole block along, and a word that is
known to identify the patient takes letters of the same size nearby.

The lines of an image are read together, in a few goes: all of them as they stand; those that said nothing the other
way up; those that read like a marker cut out closer and wider. Most are known for what they are after the first. What
is left may stay if a second reader, of another make, agrees, and if there is no small print beside it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.detection.text_detector import SURE
from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.markers import holds_marker, is_marker, is_short
from medveil.defenses.pixels.reader import HEIGHT, Reading, read_many
from medveil.defenses.pixels.reading.alphabet import as_read, is_letter
from medveil.defenses.pixels.reading.general import HEIGHT as SECOND_HEIGHT
from medveil.defenses.pixels.reading.general import second_opinion
from medveil.defenses.pixels.rereading import are_readable, without
from medveil.defenses.pixels.whole_letter import whole_letter
from medveil.person.search.known import KnownSearch

CERTAIN = 0.95  # that a marker is written, and nothing else: no other look is needed
SECOND = 0.5  # certainty of the second reader's least certain character
SECOND_SHORT = 0.9  # the same, of one or two characters
AGREES = 0.05  # what the first reader must grant a long marker that the second has read,
NEARLY = 0.25  # and that as a share of what it grants its own text
AGREES_SHORT = 0.7  # what it must grant one or two characters
VERY_CERTAIN = 0.995  # the same where the second reader does not see them
CONTRADICTS = 0.8  # certainty from which the second reader's other text counts
LONGEST = 14  # heights; no marker is longer
MOST_IN_A_BLOCK = 5
TOGETHER = 0.8  # heights between the lines of a block
SPACED = 2.5  # heights between initials
NEARBY = 3  # heights around a known name within which letters of its size go too
LEGIBLE = 0.5  # certainty of each letter from which a word that is no marker takes its block along
LOWEST_WITH_PRINT = 24  # pixels; in a lower line there is no room for small print beside the marker
MARGIN = 0.18  # of the height, around what is read
OTHER_MARGINS = (0.0, 0.45)  # a plate's edge reads like a letter, a letter at the very edge like none
ACROSS = 2.4  # heights; shorter lines may be a letter or two written across
PART = 4  # heights; shorter lines may be a part of a letter
ASIDE = 0.8  # of the height, to either side where a wider look is taken

MOST_ASKED = 3  # looks at a word that are shown to the second reader
_BARE = re.compile(r"\(?[A-Z]{1,2}\)?")  # in capitals, for a small l is as likely an I; without the point of initials
_ALIKE = str.maketrans("IilO", "1110")  # what only its company tells apart
_ALL_WAYS = (0, 2, 1, 3)  # quarter turns

View = NDArray[np.uint8]


@dataclass
class Sorted:
    """Lines to remove, and lines that stay with what they say."""

    going: list[Line] = field(default_factory=list)
    kept: list[tuple[str, Line]] = field(default_factory=list)


@dataclass(frozen=True)
class _Look:
    """A line as it is cut out: turned by quarters, with room at its ends and across."""

    line: Line
    turns: int
    aside: float = MARGIN
    across: float = MARGIN

    def same_way(self, other: _Look) -> bool:
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
        return grown.cut_out(view, height, quarter_turns=self.turns)

    def row(self, reach: float) -> Line:
        """The line, longer by so many heights of its letters at either end."""
        if self.turns % 2 == 0:
            return self.line.grown(reach * self.line.height, 0)
        return self.line.grown(0, reach * self.line.length)

    def halves(self) -> list[_Look]:
        """The upper and the lower half of the line, each somewhat wider."""
        down = np.array([-self.line.along[1], self.line.along[0]]) * 0.45 * self.line.height
        halves = (replace(self.line.moved(*(side * down)), height=0.6 * self.line.height) for side in (-1, 1))
        return [replace(self, line=half) for half in halves]


@dataclass(eq=False)
class _Word:
    """One piece of text, with every rectangle it was seen as; the first stands for it."""

    lines: list[Line]
    readings: list[tuple[_Look, Reading]] = field(default_factory=list)
    known: bool = False
    text: str | None = None
    seen: _Look | None = None  # the look by which it was read

    @property
    def line(self) -> Line:
        return self.lines[0]

    @property
    def legible(self) -> bool:
        """Whether letters can be read that are no marker's."""
        return any(_legible(reading) for _, reading in self.readings)


def sort_out(lines: list[Line], view: View, known: KnownSearch | None, *, keep_markers: bool) -> Sorted:
    """Decide line by line; without markers to keep, nothing is read."""
    if not keep_markers:
        return Sorted(going=list(lines))
    loose = [line for line in lines if any(_closer(other, line) for other in lines)]
    words = _words([line for line in lines if line not in loose])
    blocks = [block for block in _blocks(words) if _can_be_markers(block)]
    for looks in (_as_it_stands, _other_ways, _closer_and_wider):
        _read([(word, look) for block in blocks for word in block for look in looks(word, view)], view, known)
        blocks = [block for block in blocks if not any(word.known or _plainly_other(word) for word in block)]
    for word in (word for block in blocks for word in block):
        word.text = _marker(word, view)
    strokes = _joined_strokes(words)
    words = [word for word in words if word not in strokes]
    for block in ([word for word in block if word not in strokes] for block in blocks):
        _agree(block)
        if _small_print(block, view):
            _let_go(block)
    _let_go([word for word in words if _among_initials(word, words)])
    _spread_known(words)
    result = Sorted(going=[line for line in loose if not _explained(line, words, view)])
    _let_go([word for word in words if any(word.line.share_inside(line) > 0.5 for line in result.going)])
    for word in words:
        if word.text is None:
            result.going += word.lines
        else:
            result.kept.append((word.text, word.line))
    return result


def _joined_strokes(words: list[_Word]) -> list[_Word]:
    """Words that are only a part of a marker's letter, each now one more rectangle of the marker."""
    strokes: list[_Word] = []
    for marker in [word for word in words if word.text is not None]:
        for word in words if marker not in strokes else ():
            if word is not marker and word not in strokes and _is_stroke(word, marker):
                marker.lines += word.lines
                strokes.append(word)
    return strokes


def _is_stroke(word: _Word, marker: _Word) -> bool:
    """It led to the same letter; or it is small, all of it inside, and there is nothing to read in it."""
    if word.text is not None:
        return word.text == marker.text and _same(word.line, marker.line)
    slight = all(reading.letters <= 1 for _, reading in word.readings)
    least = 0.6 * marker.line.height
    return slight and all(line.height < least and line.share_inside(marker.line) > 0.8 for line in word.lines)


def _agree(block: list[_Word]) -> None:
    """What stands together is one text: a word that is no marker, or a second initial, takes the others along."""
    others = [word for word in block if word.text is None]
    texts = [word.text for word in block if word.text is not None]
    if any(word.legible for word in others) or (texts and not is_marker(" ".join(texts))):
        _let_go(block)
    elif any(reading.letters for word in others for _, reading in word.readings):
        _let_go([word for word in block if word.text is not None and is_short(word.text)])


def _among_initials(word: _Word, words: list[_Word]) -> bool:
    """Whether a marker of a letter or two has others of its size in its row, however widely they are spaced.

    One letter may belong to a name that runs the same way there, two only to other letters standing alone. A side
    written twice, by the film and by the console, is nobody's initials.
    """
    if word.text is None or word.seen is None or not is_short(word.text):
        return False
    look, row, alone = word.seen, word.seen.row(SPACED), len(_letters(word.text)) > 1
    others = (other for other in words if other.text != word.text and _alike(word, other))
    return any(
        _is_written(other) and other.line.share_inside(row) > 0
        for other in others
        if _square(other.line) or (not alone and look.runs_along(other.line))
    )


def _is_written(word: _Word) -> bool:
    """Not a longer marker, and not a thing in which no letter was seen."""
    if word.text is not None:
        return is_short(word.text)
    return not word.readings or any(reading.letters for _, reading in word.readings)


def _alike(word: _Word, other: _Word) -> bool:
    """Of one size, whichever way each was seen to lie."""
    tall = word.line.length
    return 0.5 * word.line.height <= other.line.height <= 2 * tall


def _let_go(block: list[_Word]) -> None:
    for word in block:
        word.text = None


def _closer(line: Line, other: Line) -> bool:
    """Whether a line lies in another that is drawn far more loosely around it, and perhaps around more."""
    return line.height < 0.75 * other.height and line.share_inside(other) > 0.7


def _explained(line: Line, words: list[_Word], view: View) -> bool:
    """Whether a loose line holds markers and little else, or was never sure and has nothing to read but words of its
    own in it.
    """
    inside = [word for word in words if word.line.share_inside(line) > 0.5]
    length = sum(word.line.length for word in inside if word.text is not None)
    if length >= 0.5 * line.length and all(word.text is not None for word in inside):
        return True
    rest = without([word.line for word in inside], view)
    return line.score < SURE and bool(inside) and not are_readable([line], rest, fewest=1)[0]


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


def _can_be_markers(block: list[_Word]) -> bool:
    return len(block) <= MOST_IN_A_BLOCK and not any(_too_long(word.line) for word in block)


def _as_it_stands(word: _Word, _view: View) -> Iterator[_Look]:
    for turns in _ALL_WAYS if _square(word.line) else (0,):
        yield _Look(word.line, turns)


def _other_ways(word: _Word, view: View) -> Iterator[_Look]:
    """The other way up, the second of the rectangles it was seen as, and the letter it may be a part of."""
    if any(_certain(reading) for _, reading in word.readings):
        return
    if not _square(word.line):
        yield _Look(word.line, 2)
    for line in word.lines[1:2]:
        for turns in _ALL_WAYS if _square(line) else (0, 2):
            yield _Look(line, turns)
    if word.line.length < PART * word.line.height:
        for line in whole_letter(word.line, view):
            yield from (_Look(line, turns) for turns in _ALL_WAYS)


def _square(line: Line) -> bool:
    return line.length < ACROSS * line.height


def _closer_and_wider(word: _Word, _view: View) -> Iterator[_Look]:
    """Where a marker was read or may come out."""
    close = _close(word)
    if not close:
        return
    look, reading = close[0]
    if not _certain(reading):
        yield from (replace(look, aside=margin, across=margin) for margin in OTHER_MARGINS)
    if is_short(reading.text):
        yield replace(look, aside=ASIDE)


def _close(word: _Word) -> list[tuple[_Look, Reading]]:
    """The readings that come close to a marker, the most certain first."""
    close = [(look, reading) for look, reading in word.readings if reading.text and holds_marker(reading.text)]
    return sorted(close, key=lambda one: (is_marker(one[1].text), one[1].certainty), reverse=True)


def _read(pairs: list[tuple[_Word, _Look]], view: View, known: KnownSearch | None) -> None:
    readings = read_many([look.strip(view) for _, look in pairs])
    for (word, look), reading in zip(pairs, readings, strict=True):
        word.readings.append((look, reading))
        word.known |= known is not None and reading.text != "" and known.matches_word(reading.text)


def _legible(reading: Reading) -> bool:
    return reading.letters > 1 and reading.confidence >= LEGIBLE and not is_marker(reading.text)


def _plainly_other(word: _Word) -> bool:
    """One reading is enough where it has nothing of a marker."""
    readings = [reading for _, reading in word.readings]
    close = any(holds_marker(one.text) for one in readings if one.letters > 1 or is_marker(one.text))
    return not close and any(_legible(one) for one in readings)


def _certain(reading: Reading) -> bool:
    return reading.certainty >= CERTAIN and is_marker(reading.text)


def _marker(word: _Word, view: View) -> str | None:
    """What the word says, if that is a marker and no look shows more."""
    for look, reading in _close(word)[:MOST_ASKED]:
        text = _agreed(look, reading, view)
        if text is not None and not _shows_more(word, look, text):
            word.seen = look
            if look.line not in word.lines:
                word.lines.insert(0, look.line)
            return text.upper()
    return None


def _agreed(look: _Look, reading: Reading, view: View) -> str | None:
    """The marker that is written, if both readers say so."""
    if is_short(reading.text):
        return _agreed_short(look, reading, view)
    text, confidence = second_opinion(look.strip(view, SECOND_HEIGHT))
    if confidence < SECOND:
        return None
    same = _letters(text).translate(_ALIKE) == _letters(reading.text).translate(_ALIKE)  # but for spaces and points
    if same and _certain(reading):
        return reading.text
    if not is_marker(text) or is_short(text):
        return None
    return text if same or reading.certainty_for(text) >= max(AGREES, NEARLY * reading.certainty) else None


def _agreed_short(look: _Look, reading: Reading, view: View) -> str | None:
    """The second reader need not see it where the first is very sure."""
    if reading.certainty < AGREES_SHORT or not is_marker(reading.text) or not _BARE.fullmatch(reading.text):
        return None
    text, confidence = second_opinion(look.strip(view, SECOND_HEIGHT))
    if _letters(text) == _letters(reading.text) and confidence >= SECOND_SHORT:
        return reading.text
    return reading.text if reading.certainty >= VERY_CERTAIN and confidence < CONTRADICTS else None


def _letters(text: str) -> str:
    return "".join(filter(is_letter, as_read(text)))


def _shows_more(word: _Word, look: _Look, text: str) -> bool:
    """Whether another look along the same line finds letters beyond the marker's."""
    letters = len(_letters(text))
    others = [one for other, one in word.readings if other.same_way(look) and not is_marker(one.text)]
    if is_short(text):
        return any(reading.letters > letters for reading in others)
    return any(reading.certainty >= LEGIBLE and sum(map(str.isalnum, reading.text)) > letters for reading in others)


def _small_print(block: list[_Word], view: View) -> bool:
    """Whether something far smaller than a marker, and touching it, can be read as well."""
    looks, fewest = [], []
    for word in block:
        if word.text is None:
            continue
        small = [line for line in word.lines if line.height < 0.6 * word.line.height]
        looks += [_Look(line, turns) for line in small for turns in (0, 2)]
        fewest += [3] * 2 * len(small)
        if is_short(word.text) or word.line.height < LOWEST_WITH_PRINT:
            continue
        turns = word.seen.turns if word.seen else 0
        rows = _Look(word.line, turns).halves()
        looks += rows
        fewest += [len(word.text) + 3 for _ in rows]
    found = read_many([look.strip(view) for look in looks])
    return any(reading.letters >= least for reading, least in zip(found, fewest, strict=True))


def _spread_known(words: list[_Word]) -> None:
    """A letter or two beside a known name may be its own; a whole word of a marker was read as that and no other."""
    for named in [word for word in words if word.known]:
        height = named.line.height
        for other in words:
            alike = 0.65 * height <= other.line.height <= height / 0.65
            short = other.text is not None and is_short(other.text)
            if short and alike and named.line.distance(other.line) <= NEARBY * height:
                other.text = None
