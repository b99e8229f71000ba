"""Markers in lines that go: alone, as lead lies, mirrored, or in one line with initials (LT BMS), which go without it.

A line is parted in the gap between the two, and both readers are asked what stands in the marker's part alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

import cv2
import numpy as np

from medveil.defenses.pixels.decide.cached_reader import CachedReader
from medveil.defenses.pixels.decide.evidence import PLAIN, PLAIN_LETTERS, is_plain, share_from_rim
from medveil.defenses.pixels.decide.markers import WORDS, holds_marker, is_marker
from medveil.defenses.pixels.decide.reading import ASIDE, CONTRADICTS, OTHER_MARGINS, letters_of
from medveil.defenses.pixels.decide.words import LEGIBLE, Look, View
from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.read.alphabet import OTHER
from medveil.defenses.pixels.read.second_reader import HEIGHT, places_of_letters

RIM = 0.2  # of the shorter side, from the border, within which initials stand
LONGEST = 9  # heights of a line that is a marker and initials
MOST_INITIALS = 4  # letters; more may be a name
FEWEST, FEWEST_ALONE = 2, 4  # letters of a marker: one may be an initial, and so may two or three that stand alone
SURE, SURE_ALONE = 0.6, 0.75  # of one reader, that the marker is what it says,
ALL_BUT_CERTAIN = 0.9  # and of the second, where the first cannot read it,
CERTAIN = 0.995  # or can read a short one as nothing else
CLOSE = 0.06  # of the height, around the marker's part
THICKEST = 19  # of the strip's 48 pixels, that a stroke may be thick
FULL = 97  # percent of a column above which ink stands in it
SLIP = 10  # of the strip's columns by which a reader may be wrong about where a letter stands,
GAP = 5  # and the columns over which the place between two words is empty, as one between two letters is not
_WORD = re.compile(r"[A-Z0-9]+")

Place = tuple[str, float]  # a character, and where in the strip it is


@dataclass(frozen=True)
class Parted:
    """What the marker says, its line, and that of the initials beside it."""

    text: str
    marker: Line
    initials: Line | None


def marker_in_line(look: Look, view: View, read: CachedReader) -> Parted | None:
    """The marker in a line of type, if there is nothing else in it, or no more than initials are."""
    if look.turns % 2 or look.line.length > LONGEST * look.line.height:
        return None
    alone = _read_by_second(look.line, read)
    if alone is not None:
        return Parted(alone, look.line, None)
    for way in (look, replace(look, mirrored=not look.mirrored), replace(look, turns=2 - look.turns)):
        (reading,) = read([way])
        is_word = is_plain(reading) and OTHER not in reading.text
        if (is_word or share_from_rim(look.line, view) > RIM) and not holds_marker(reading.text):
            return None
        text, sure = read.second(way)
        places = places_of_letters(way.strip(view, HEIGHT)) if _names_marker(text) else []
        for seen, how_sure in ((reading.places(), reading.confidence), (places, sure)):
            parted = _parted(way, [place for place in seen if place[0] != OTHER], how_sure, view, read)
            if parted is not None:
                return parted
        if sure >= PLAIN and len(letters_of(text)) >= PLAIN_LETTERS:
            return None
    return None


def _read_by_second(line: Line, read: CachedReader) -> str | None:
    """A marker that the second reader is all but certain of, cut out one way and another, and that the first has not
    plainly read as something else, either way up. A short one must be read so however it is cut out.
    """
    for look in (Look(line, 0), Look(line, 2)):
        text, sure = read.second(look)
        if sure < LEGIBLE or len(letters_of(text)) < FEWEST or not is_marker(text):
            continue
        looks = [look, *(replace(look, aside=margin, across=margin) for margin in OTHER_MARGINS)]
        looks.append(replace(look, aside=ASIDE))
        marker, said = _known(text), [(_known(text), sure) for text, sure in map(read.second, looks)]
        alike = [sure for letters, sure in said if letters == marker and sure >= LEGIBLE]
        more = any(len(letters) > len(marker) and sure >= LEGIBLE for letters, sure in said)
        readings = read([*looks, Look(line, 0), Look(line, 2)])
        if len(marker) < FEWEST_ALONE:
            enough = all(letters == marker and sure >= PLAIN for letters, sure in said) and max(alike) >= CERTAIN
            plain = [one for one in readings if one.letters > 1 and one.confidence >= PLAIN]
        else:
            enough = len(alike) > 1 and max(alike) >= ALL_BUT_CERTAIN
            plain = [one for one in readings if is_plain(one)]
        other = any(not _misses_letters(_known(one.text), marker) for one in plain)
        if enough and not more and not other:
            return text.upper()
    return None


def _misses_letters(text: str, marker: str) -> bool:
    """Whether it is the marker, but for letters that were not seen."""
    rest = iter(marker)
    return all(letter in rest for letter in text)


def _known(text: str) -> str:
    return letters_of(text.upper()).replace(OTHER, "")


def _names_marker(text: str) -> bool:
    return any(word in WORDS and len(word) >= FEWEST for word in _WORD.findall(text.upper()))


def _parted(way: Look, places: list[Place], sure: float, view: View, read: CachedReader) -> Parted | None:
    """By what one reader sees of it, and where."""
    words = _words(places)
    if len(words) == 1 and sure >= SURE_ALONE:
        alone = _text(words[0])
        if alone in WORDS and len(alone) >= FEWEST_ALONE and not _is_part(way, alone, read):
            return Parted(alone, way.line, None)
    for marker, gap, first in _at_the_ends(words, [place for place in places if place[0] != " "]):
        parts = _halves(way, view, gap)
        mine, other = parts if first else parts[::-1]
        close = replace(way, line=mine, aside=CLOSE)
        if _says(close, marker, read) and not _says_other(close, marker, read, CONTRADICTS):
            return Parted(marker, mine, other)
    return None


def _words(places: list[Place]) -> list[list[Place]]:
    """Letters and digits that follow one another."""
    return [list(word) for is_word, word in groupby(places, key=lambda one: one[0].isalnum()) if is_word]


def _text(word: list[Place]) -> str:
    return "".join(character for character, _ in word).upper()


def _at_the_ends(words: list[list[Place]], signs: list[Place]) -> Iterator[tuple[str, tuple[float, float], bool]]:
    """A marker that is the first word or the last, between where it ends and the next sign stands, and whether it is
    the first.
    """
    letters = sum(map(len, words))
    for first in (True, False) if len(words) > 1 else ():
        word = words[0] if first else words[-1]
        marker = _text(word)
        if marker in WORDS and len(marker) >= FEWEST and letters - len(marker) <= MOST_INITIALS:
            (_, end), step = (word[-1], 1) if first else (word[0], -1)
            beside = signs[signs.index(word[-1] if first else word[0]) + step][1]
            yield marker, (min(end, beside), max(end, beside)), first


def _halves(look: Look, view: View, gap: tuple[float, float]) -> tuple[Line, Line]:
    """The line as it is read, up to the emptiest place about between these two of its strip, and from there on."""
    strip = look.strip(view, HEIGHT)
    kernel = np.ones((THICKEST, THICKEST), np.uint8)
    strokes = [cv2.morphologyEx(strip, how, kernel) for how in (cv2.MORPH_TOPHAT, cv2.MORPH_BLACKHAT)]
    ink = np.percentile(max(strokes, key=np.mean), FULL, axis=0)
    ink = cv2.blur(ink[None], (GAP, 1))[0]
    start, end = (
        min(max(int(share * len(ink)) + slip, 0), len(ink) - 1) for share, slip in zip(gap, (-SLIP, SLIP), strict=True)
    )
    cut = (start + int(ink[start : end + 1].argmin())) / len(ink)
    line = look.line
    room = look.aside * line.height / line.length  # at either end of the strip
    cut = min(max(cut * (1 + 2 * room) - room, 0.0), 1.0)
    backwards = (look.turns == 2) != look.mirrored
    cut = 1 - cut if backwards else cut
    before, after = (
        replace(line.moved(*(line.along * line.length * (middle - 0.5))), length=line.length * part)
        for middle, part in ((cut / 2, cut), ((1 + cut) / 2, 1 - cut))
    )
    return (after, before) if backwards else (before, after)


def _is_part(look: Look, marker: str, read: CachedReader) -> bool:
    """Whether it may be a part of something longer, or something else."""
    return any(_says_other(one, marker, read, LEGIBLE) for one in (look, replace(look, aside=ASIDE)))


def _says(look: Look, marker: str, read: CachedReader) -> bool:
    return any(letters == marker and sure >= SURE for letters, sure in _said(look, read))


def _says_other(look: Look, marker: str, read: CachedReader, surely: float) -> bool:
    """Whether a reader sees letters beyond the marker's there, or is as sure as that of others."""
    return any(
        letters not in marker and sure >= (LEGIBLE if len(letters) > len(marker) else surely)
        for letters, sure in _said(look, read)
    )


def _said(look: Look, read: CachedReader) -> list[tuple[str, float]]:
    """Letters that either reader knows, and how sure it is: what it knows for none is an edge or a neighbour's rim."""
    (reading,) = read([look])
    both = (reading.text, reading.confidence), read.second(look)
    return [(_known(text), sure) for text, sure in both]
