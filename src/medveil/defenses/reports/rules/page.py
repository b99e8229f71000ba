"""A text as the rules read it: its words, its numbers, and what has already been recognised."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Set
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import NamedTuple

from medveil.defenses.reports.proposal import Proposal
from medveil.defenses.reports.rules.languages import language_of
from medveil.defenses.reports.rules.lexicon import Kind, kind_of, name_only
from medveil.person.identifiers import Category
from medveil.person.normalised import fold
from medveil.person.span import Span

_WORD = re.compile(r"[^\W\d_]+(?:['’`-][^\W\d_]+)*")
_NUMBER = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")
_SMALL = re.compile(r"[a-zß-öø-ÿ]")
# MIMIC's marks around a date that its makers have moved to another century.
_MOVED_BEFORE = re.compile(r"\[\*\*(?:18|20[4-9]|2[1-9]\d)\d{1,2}-\d{1,2}(?:-\d{1,2})?\*\*\]")
_BLANK = re.compile(r"(?:[\s.,:;/()\-]|X{2,}|_{2,}|\[\*\*[^\]]*\*\*\]|\[[A-Z0-9 ]+\]|<[A-Z]+>)+")


class PageWord(NamedTuple):
    """A run of letters, hyphens and apostrophes inside it included.

    `folded` is lower case without accents; `listed` says that a list of names has it, `name_only` that no other list
    does; `short` is an abbreviation of the ward written as one.
    """

    start: int
    end: int
    text: str
    folded: str
    kind: int
    capital: bool
    initial: bool
    listed: bool
    name_only: bool
    short: bool


@lru_cache(maxsize=1 << 15)
def _facts(written: str) -> tuple[str, str, int, bool, bool, bool, bool, bool]:
    folded = fold(written)
    kind = kind_of(folded)
    upper = written.isupper()
    return (
        written,
        folded,
        kind,
        written[0].isupper(),
        upper and len(written) == 1,
        bool(kind & Kind.NAME),
        name_only(kind),
        bool(kind & Kind.SHORT) and (upper or len(written) < 3),
    )


@lru_cache(maxsize=4)
def _words_of(text: str) -> tuple[PageWord, ...]:
    """Remembered for the moment: rules and scorer look at the same text, one after the other."""
    return tuple([PageWord._make((*match.span(), *_facts(match[0]))) for match in _WORD.finditer(text)])


class Page:
    """One text and the identifiers recognised in it so far."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Proposal] = []
        self.family = ""  # that reads now
        self._loud: dict[int, bool] = {}
        self._taken = bytearray(len(text))
        self._moved = [match.span() for match in _MOVED_BEFORE.finditer(text)] if "[**" in text else []
        for start, end in self._moved:
            self._taken[start:end] = b"\x01" * (end - start)

    @cached_property
    def words(self) -> tuple[PageWord, ...]:
        return _words_of(self.text)

    def standing(self, wanted: Set[str]) -> list[PageWord]:
        """The words that are, folded, among those wanted, in order."""
        return [word for word in self.words if word.folded in wanted] if wanted & self._folded else []

    @cached_property
    def _folded(self) -> frozenset[str]:
        return frozenset([word.folded for word in self.words])

    @cached_property
    def capitals(self) -> list[int]:
        """Which words begin with a capital."""
        return [index for index, word in enumerate(self.words) if word.capital]

    @cached_property
    def digits(self) -> list[int]:
        """Where each run of digits begins, also inside a code."""
        return [match.start() for match in _NUMBER.finditer(self.text)]

    @cached_property
    def numbers(self) -> list[int]:
        """Where each run of digits begins that is not the continuation of a longer number or code."""
        text, starts = self.text, []
        for start in self.digits:
            before = text[start - 1] if start else " "
            if before.isalnum() or (before in "./-:" and start > 1 and text[start - 2].isdigit()):
                continue
            starts.append(start)
        return starts

    def take(self, start: int, end: int, category: Category, *, doubted: bool = False) -> None:
        """Characters [start, end) are an identifier; `doubted` where a list alone says so, and nothing around it."""
        if end > start:
            self.found.append(Proposal(start, end, category, self.family + "?" * doubted))
            self._taken[start:end] = b"\x01" * (end - start)

    def recognise(self, found: Iterable[Span]) -> None:
        """These are identifiers, whoever found them."""
        for one in found:
            self.take(one.start, one.end, one.category)

    def legible(self, start: int, end: int) -> bool:
        """Whether something stands here that nobody has blanked out or moved before."""
        return not _BLANK.fullmatch(self.text, start, end) and not any(
            one < end and start < other for one, other in self._moved
        )

    def free(self, start: int, end: int) -> bool:
        """Whether nothing has been recognised in [start, end)."""
        return self._taken.find(1, start, end) < 0

    def taken_at(self, place: int) -> bool:
        return 0 <= place < len(self._taken) and self._taken[place] == 1

    def before(self, place: int, length: int) -> str:
        return self.text[max(0, place - length) : place]

    def opens_sentence(self, place: int) -> bool:
        """Whether a capital at this place is due to the sentence and says nothing."""
        before = self.before(place, 12).rstrip(" \t(\"'“*•-")
        return not before or before[-1] in ".:;!?\n|" or before[-1].isdigit()

    @cached_property
    def _lines(self) -> list[tuple[int, int]]:
        """Where each line begins and ends."""
        lines, start = [], 0
        for line in self.text.split("\n"):
            lines.append((start, start + len(line)))
            start += len(line) + 1
        return lines

    @property
    def is_foreign(self) -> bool:
        """Whether it is in another language than English: German gives every noun a capital."""
        return language_of(self.text) != "en"

    @cached_property
    def is_small(self) -> bool:
        """Whether hardly a word has a capital, as in hasty notes: names have none there either."""
        return len(self.words) >= 8 and len(self.capitals) * 20 < len(self.words)

    def line_number(self, place: int) -> int:
        return bisect_right(self._lines, place, key=itemgetter(0)) - 1

    def in_capitals(self, place: int) -> bool:
        """Whether this line is written in capitals throughout."""
        number = self.line_number(place)
        if number not in self._loud:
            start, end = self._lines[number]
            line = self.text[start:end]
            letters, small = len(_LETTER.findall(line)), len(_SMALL.findall(line))
            self._loud[number] = letters > 3 and small * 5 < letters
        return self._loud[number]
