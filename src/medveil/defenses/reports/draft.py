"""A cleaned text in the making: what was found in the original, what stands for it, and where that came to stand.

Surrogates keep to what they stand for: endings (`'s`), the line, and the space around stay as they were.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from medveil.defenses.reports.merging import merged
from medveil.person.identifiers import Category
from medveil.person.span import DoubtfulSpan, Span
from medveil.person.surrogates.surrogates import Surrogates

REMOVED = "[REMOVED]"
_BREAK = re.compile(r"[ \t]*\r?\n[ \t]*")
_LINE = re.compile(r"[^\r\n]*[^\s][^\r\n]*")
_PARAGRAPH = re.compile(r"(?:[ \t]*\r?\n){2,}")
_GENITIVE = re.compile(r"['’](?:s|S)?$")
_NOT = re.compile(r"(?:\w+n|\w*can)['’]?$", re.IGNORECASE)  # of don't: the end of what stands before 't
_BIT_OF_NUMBER = re.compile(r"[.,]\d")  # of 25/12.5: what is before it is no day
_NAMES = frozenset({Category.NAME, Category.DOCTOR, Category.INITIALS, Category.HOSPITAL, Category.ADDRESS})


@dataclass(frozen=True)
class Replaced:
    """Characters [start, end) of the draft stand for `found` of the original."""

    start: int
    end: int
    found: Span


@dataclass
class Draft:
    """Made anew from the original whenever more is found, so that places always refer to it."""

    original: str
    surrogates: Surrogates
    found: list[Span]
    removed: list[Span] = field(default_factory=list)  # blotted out instead of replaced
    text: str = field(init=False, default="")
    replaced: list[Replaced] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        found = list(fitted(self.original, self.found))
        if all(one.end <= other.start for one, other in pairwise(found)):
            self.found = found
            self._write()
        else:
            self._take(found)

    def add(self, more: Iterable[Span]) -> None:
        """More places of the original to replace."""
        self._take(self.found, fitted(self.original, more))

    def _take(self, *layers: Iterable[Span]) -> None:
        doubtful = {(one.start, one.end) for one in self.found if isinstance(one, DoubtfulSpan)}
        self.found = [
            DoubtfulSpan(one.start, one.end, one.category) if (one.start, one.end) in doubtful else one
            for one in merged(self.original, *layers)
        ]
        self._write()

    def blot_out(self, places: Iterable[Span], *, whole_lines: bool) -> None:
        """These places of the original, or the lines they stand in, become a blank."""
        spans = [self._line(place) if whole_lines else [place] for place in places]
        self.removed = _joined([*self.removed, *(one for span in spans for one in span)])
        self._take(self.removed, self.found)

    def _line(self, place: Span) -> list[Span]:
        start = self.original.rfind("\n", 0, place.start) + 1
        end = self.original.find("\n", place.end)
        lines = _LINE.finditer(self.original, start, end if end >= 0 else len(self.original))
        return [Span(line.start(), line.end(), place.category) for line in lines]

    def _write(self) -> None:
        pieces, last, length = [], 0, 0
        self.replaced = []
        blank = {(one.start, one.end) for one in self.removed}
        note = self.surrogates.in_note(self.original, self.found)
        for one in self.found:
            old = self.original[one.start : one.end]
            new = REMOVED if (one.start, one.end) in blank else _with_breaks(old, note.written(one))
            kept = self.original[last : one.start]
            pieces += [kept, new]
            self.replaced.append(Replaced(length + len(kept), length + len(kept) + len(new), one))
            length += len(kept) + len(new)
            last = one.end
        self.text = "".join((*pieces, self.original[last:]))

    def origin(self, start: int, end: int, category: Category) -> list[Span]:
        """The places of the original behind characters [start, end) of the draft that do not stand for something."""
        places: list[Span] = []
        at = bisect_right(self.replaced, start, key=lambda one: one.start) - 1
        place = start
        if at >= 0:
            place = max(start, self.replaced[at].end)
        for one in (*self.replaced[at + 1 :], None):
            stop = min(one.start, end) if one else end
            if place < stop and any(map(str.isalnum, self.text[place:stop])):
                places += fitted(self.original, [self._back(place, stop, category)])
            if one is None or one.start >= end:
                break
            place = one.end
        return places

    def standing_at(self, start: int, end: int) -> list[Replaced]:
        """The surrogates that characters [start, end) of the draft touch."""
        return [one for one in self.replaced if one.start < end and start < one.end]

    def _back(self, start: int, end: int, category: Category) -> Span:
        at = bisect_right(self.replaced, start, key=lambda one: one.start) - 1
        shift = self.replaced[at].found.end - self.replaced[at].end if at >= 0 else 0
        return Span(start + shift, end + shift, category)


def fitted(text: str, found: Iterable[Span]) -> Iterator[Span]:
    """Each without the space around it and the ending of a genitive, of whole words, in no more than one paragraph."""
    for one in found:
        start = one.start
        for gap in (*_PARAGRAPH.finditer(text, one.start, one.end), None):
            piece = _trimmed(text, start, gap.start() if gap else one.end, one.category)
            if piece == (one.start, one.end):
                yield one
            elif piece:
                yield type(one)(*piece, one.category)
            start = gap.end() if gap else start


def _trimmed(text: str, start: int, end: int, category: Category) -> tuple[int, int] | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if category in (Category.DATE, Category.TIME) and end - start <= 5 and _BIT_OF_NUMBER.match(text, end):
        return None
    if category in _NAMES and end > start:
        start, end = _whole_words(text, start, end)
        if genitive := _GENITIVE.search(text, start, end):
            end = genitive.start()
        if re.match(r"['’]?t\b", text[end : end + 3]) and (word := _NOT.search(text, start, end)):
            end = word.start()
            return _trimmed(text, start, end, category)
    return (start, end) if end > start else None


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """A surrogate that begins or ends within a word would make another word of the rest."""
    while start > 0 and text[start].isalnum() and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
        end += 1
    return start, end


def _joined(places: list[Span]) -> list[Span]:
    joined: list[Span] = []
    for one in sorted(places, key=lambda one: (one.start, one.end)):
        if joined and one.start < joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, one.end), joined[-1].category)
        else:
            joined.append(one)
    return joined


def _with_breaks(old: str, new: str) -> str:
    """The surrogate with as many line breaks as what it stands for."""
    missing = _BREAK.findall(old)[new.count("\n") :]
    for one in missing:
        before, space, after = new.partition(" ")
        new = before + one + after if space else new + one
    return new
