"""What a word says: the ways it is looked at, and whether two readers agree that it is a marker.

All words of an image are read together, in a few goes: as they stand; those that said nothing the other way up; those
that read like a marker cut out closer and wider. Most are known for what they are after the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from medveil.defenses.pixels.decide.cached_reader import CachedReader
from medveil.defenses.pixels.decide.markers import holds_marker, is_marker, is_short
from medveil.defenses.pixels.decide.words import LEGIBLE, Look, View, Word, is_legible, is_square, whole_letter
from medveil.defenses.pixels.read.alphabet import OTHER, as_read, is_letter
from medveil.defenses.pixels.read.reader import Reading
from medveil.person.search.known import KnownSearch

CERTAIN = 0.95  # that a marker is written, and nothing else: no other look is needed
SECOND = 0.5  # certainty of the second reader's least certain character
SECOND_SHORT = 0.9  # the same, of one or two characters
AGREES = 0.05  # what the first reader must grant a long marker that the second has read,
NEARLY = 0.25  # and that as a share of what it grants its own text
AGREES_SHORT = 0.7  # what it must grant one or two characters
VERY_CERTAIN = 0.995  # the same where the second reader does not see them
CONTRADICTS = 0.8  # certainty from which the second reader's other text counts
OTHER_MARGINS = (0.0, 0.45)  # a plate's edge reads like a letter, a letter at the very edge like none
BARS = "Il1" + OTHER
PART = 4  # heights; shorter lines may be a part of a letter
ASIDE = 0.8  # of the height, to either side where a wider look is taken
MOST_ASKED = 3  # looks at a word that are shown to the second reader
_BARE = re.compile(r"\(?[A-Z]{1,2}\)?")  # in capitals, for a small l is as likely an I; without the point of initials
_ALIKE = str.maketrans("IilO", "1110")  # what only its company tells apart
_ALL_WAYS = (0, 2, 1, 3)  # quarter turns


def read_words(pairs: list[tuple[Word, Look]], read: CachedReader, known: KnownSearch | None) -> None:
    readings = read([look for _, look in pairs])
    for (word, look), reading in zip(pairs, readings, strict=True):
        word.readings.append((look, reading))
        word.known |= known is not None and reading.text != "" and known.matches_word(reading.text)


def as_it_stands(word: Word, _view: View) -> Iterator[Look]:
    for turns in _ALL_WAYS if is_square(word.line) else (0,):
        yield Look(word.line, turns)


def other_ways(word: Word, view: View) -> Iterator[Look]:
    """The other way up, the second of the rectangles it was seen as, and the letter it may be a part of."""
    if any(_certain(reading) for _, reading in word.readings):
        return
    if not is_square(word.line):
        yield Look(word.line, 2)
    for line in word.lines[1:2]:
        for turns in _ALL_WAYS if is_square(line) else (0, 2):
            yield Look(line, turns)
    if word.line.length < PART * word.line.height:
        for line in whole_letter(word.line, view):
            yield from (Look(line, turns) for turns in _ALL_WAYS)


def closer_and_wider(word: Word, _view: View) -> Iterator[Look]:
    """Where a marker was read or may come out."""
    close = _close(word)
    if not close:
        return
    look, reading = close[0]
    if not _certain(reading):
        yield from (replace(look, aside=margin, across=margin) for margin in OTHER_MARGINS)
    yield replace(look, aside=ASIDE)


def _close(word: Word) -> list[tuple[Look, Reading]]:
    """The readings that come close to a marker, the most certain first."""
    close = [(look, reading) for look, reading in word.readings if reading.text and holds_marker(reading.text)]
    return sorted(close, key=lambda one: (is_marker(one[1].text), one[1].certainty), reverse=True)


def is_plainly_other(word: Word) -> bool:
    """One reading is enough where it has nothing of a marker."""
    readings = [reading for _, reading in word.readings]
    close = any(holds_marker(one.text) for one in readings if one.letters > 1 or is_marker(one.text))
    return not close and any(is_legible(one) for one in readings)


def _certain(reading: Reading) -> bool:
    return reading.certainty >= CERTAIN and is_marker(reading.text)


def marker_in(word: Word, read: CachedReader) -> str | None:
    """What the word says, if that is a marker and no look shows more."""
    for look, reading in _close(word)[:MOST_ASKED]:
        text = _agreed(look, reading, read)
        if text is None and _agreed_other(reading, read.seconded(look)):
            return None
        if text is not None and not _shows_more(word, look, text, read):
            word.seen = look
            if look.line not in word.lines:
                word.lines.insert(0, look.line)
            return text.upper()
    return None


def _agreed(look: Look, reading: Reading, read: CachedReader) -> str | None:
    """The marker that is written, if both readers say so."""
    if is_short(reading.text):
        return _agreed_short(look, reading, read)
    text, confidence = read.second(look)
    if confidence < SECOND:
        return None
    same = letters_of(text).translate(_ALIKE) == letters_of(reading.text).translate(_ALIKE)  # but for spaces and points
    if same and _certain(reading):
        return reading.text
    if not is_marker(text) or is_short(text):
        return None
    granted = reading.certainty_for(text) >= max(AGREES, NEARLY * reading.certainty)
    return text if same or granted or (confidence >= CERTAIN and _is_most_of(reading.text, text)) else None


def _is_most_of(part: str, marker: str) -> bool:
    """Whether the first reader has read the greater part of it, and nothing else."""
    return letters_of(part) in letters_of(marker) and 2 * len(letters_of(part)) > len(letters_of(marker))


def _agreed_other(reading: Reading, second: tuple[str, float] | None) -> bool:
    """Whether both readers have read the same, and that is no marker."""
    if second is None or second[1] < SECOND or is_short(reading.text) or is_marker(reading.text):
        return False
    return letters_of(second[0]) == letters_of(reading.text) and not is_marker(second[0])


def _agreed_short(look: Look, reading: Reading, read: CachedReader) -> str | None:
    """The second reader need not see it where the first is very sure; nor the first two letters where the second is."""
    unsure = reading.confidence < LEGIBLE
    certain = reading.certainty >= AGREES_SHORT and is_marker(reading.text) and bool(_BARE.fullmatch(reading.text))
    if not unsure and not certain:
        return None
    text, confidence = read.second(look)
    if unsure:
        is_bare = len(text) > 1 and is_marker(text) and bool(_BARE.fullmatch(text))
        return text if is_bare and confidence >= VERY_CERTAIN else None
    if letters_of(text) == letters_of(reading.text) and confidence >= SECOND_SHORT:
        return reading.text
    return reading.text if reading.certainty >= VERY_CERTAIN and confidence < CONTRADICTS else None


def letters_of(text: str) -> str:
    return "".join(filter(is_letter, as_read(text)))


def _shows_more(word: Word, look: Look, text: str, read: CachedReader) -> bool:
    """Whether another look along the same line, inside of the image, finds letters beyond the marker's."""
    letters = len(letters_of(text))
    others = [
        (other, one)
        for other, one in word.readings
        if other.same_way(look) and not is_marker(one.text) and other.is_inside(read.view)
    ]
    if is_short(text):
        (reading,) = read([look])
        plain = reading.certainty >= VERY_CERTAIN and letters_of(reading.text) == letters_of(text)
        return any(one.letters > letters and not (plain and _is_edge(other, one, text, read)) for other, one in others)
    more = [one for _, one in others if one.certainty >= LEGIBLE and sum(map(str.isalnum, one.text)) > letters]
    return any(not _is_but_for_bars(letters_of(one.text), letters_of(text)) for one in more)


def _is_edge(look: Look, reading: Reading, marker: str, read: CachedReader) -> bool:
    """Whether what stands beside the marker is known for no letter, and is none for a second reader that is certain:
    so does the edge of a plate.
    """
    if letters_of(reading.text).strip(OTHER) != letters_of(marker):
        return False
    text, confidence = read.second(look)
    return letters_of(text) == letters_of(marker) and confidence >= VERY_CERTAIN


def _is_but_for_bars(read: str, marker: str) -> bool:
    """Whether it is the marker between bars, which the edges of a plate are taken for, or with a hyphen as a letter."""
    return read.strip(BARS) == marker.strip(BARS) or _only_within(read, marker)


def _only_within(read: str, marker: str) -> bool:
    """Whether one letter more stands in the middle of it, where a hyphen was taken for one."""
    cuts = (read[:place] + read[place + 1 :] for place in range(1, len(read) - 1))
    return len(read) == len(marker) + 1 and marker in cuts
