"""A cleaned text in the making: what was found in the original, what stands for it, and where that came to stand."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

from medveil.defenses.reports.merging import merged
from medveil.person.identifiers import Category
from medveil.person.span import Span
from medveil.person.surrogates.surrogates import Surrogates

REMOVED = "[REMOVED]"
_BREAK = re.compile(r"[ \t]*\r?\n[ \t]*")
_LINE = re.compile(r"[^\r\n]*[^\s][^\r\n]*")


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
        self._write()

    def add(self, more: Iterable[Span]) -> None:
        """More places of the original to replace."""
        self.found = merged(self.original, self.found, more)
        self._write()

    def blot_out(self, places: Iterable[Span], *, whole_lines: bool) -> None:
        """These places of the original, or the lines they stand in, become a blank."""
        spans = [self._line(place) if whole_lines else [place] for place in places]
        self.removed = _joined([*self.removed, *(one for span in spans for one in span)])
        self.found = merged(self.original, self.removed, self.found)
        self._write()

    def _line(self, place: Span) -> list[Span]:
        start = self.original.rfind("\n", 0, place.start) + 1
        end = self.original.find("\n", place.end)
        lines = _LINE.finditer(self.original, start, end if end >= 0 else len(self.original))
        return [Span(line.start(), line.end(), place.category) for line in lines]

    def _write(self) -> None:
        pieces, last, length = [], 0, 0
        self.replaced = []
        blank = set(self.removed)
        for one in self.found:
            old = self.original[one.start : one.end]
            new = REMOVED if one in blank else _with_breaks(old, self.surrogates.text(one, self.original))
            kept = self.original[last : one.start]
            pieces += [kept, new]
            self.replaced.append(Replaced(length + len(kept), length + len(kept) + len(new), one))
            length += len(kept) + len(new)
            last = one.end
        self.text = "".join((*pieces, self.original[last:]))

    def origin(self, start: int, end: int, category: Category) -> list[Span]:
        """The places of the original behind characters [start, end) of the draft that do not stand for something."""
        places = []
        at = bisect_right(self.replaced, start, key=lambda one: one.start) - 1
        place = start
        if at >= 0:
            place = max(start, self.replaced[at].end)
        for one in (*self.replaced[at + 1 :], None):
            stop = min(one.start, end) if one else end
            if place < stop and any(map(str.isalnum, self.text[place:stop])):
                places.append(self._back(place, stop, category))
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


def _joined(places: list[Span]) -> list[Span]:
    joined: list[Span] = []
    for one in sorted(places):
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
