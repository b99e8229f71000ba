"""Searching a text for what is known of a person: names, numbers, dates, places, however they are written."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import chain

from medveil.person.identifiers import Category
from medveil.person.normalised import fold, words_of
from medveil.person.person import Known, Person
from medveil.person.search.names import KnownNames
from medveil.person.search.numbers import KnownNumbers
from medveil.person.span import Span, without_overlaps
from medveil.person.written_dates import WrittenDate, dates_after_letters, dates_in, readings

_NAMES = frozenset({Category.NAME, Category.DOCTOR})
# What the reader of a small print takes for another character.
_MISREAD = str.maketrans({"0": "o", "1": "i", "5": "s", "8": "b", "|": "i", "$": "s", "l": "i"})
# The attributes of a person's headers say the same in file after file; remembered in memory alone.
_SHORT = 64  # characters
_REMEMBERED = 2048
_LEAST_ID = 4  # characters
_OTHER_SCRIPTS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


class KnownSearch:
    """Finds what is known of a person in a text: every order, case and initial, and with one typing error."""

    def __init__(self, known: Iterable[Known]) -> None:
        entries = sorted(set(known))
        self.names = KnownNames((one.category, one.value) for one in entries if one.category in _NAMES)
        self._numbers = KnownNumbers((one.category, one.value) for one in entries if one.category not in _NAMES)
        self._dates = frozenset(day for one in entries if one.category is Category.DATE for day in dates_of(one.value))
        self._anniversaries = frozenset((day.month, day.day) for day in self._dates)
        self._initials = frozenset(
            "".join(word.folded for word in words_of(one.value)) for one in entries if one.category is Category.INITIALS
        )
        # Scripts without spaces: any place in the text will do.
        self._unspaced = sorted(
            {(name, one.category) for one in entries if one.category in _NAMES for name in _unspaced_names(one.value)}
        )
        self._entries = entries
        self._short: dict[str, list[Span]] = {}

    @cached_property
    def _misread(self) -> KnownNames:
        return KnownNames((one.category, fold_misread(one.value)) for one in self._entries if one.category in _NAMES)

    def find(self, text: str) -> list[Span]:
        """Exact and near matches, in order; an ordinary word only where it stands among names."""
        if len(text) > _SHORT:
            return self._find(text)
        found = self._short.get(text)
        if found is None:
            found = self._find(text)
            if len(self._short) >= _REMEMBERED:
                self._short.clear()
            self._short[text] = found
        return found.copy()

    def _find(self, text: str) -> list[Span]:
        words = words_of(text)
        found = [*self.names.find(text, words)] if self.names else []
        found += self._numbers.find(text, words)
        if self._dates:
            written = chain(dates_in(text), dates_after_letters(text))
            found += (Span(start, end, Category.DATE) for start, end, days in written if self._is_known(days))
        for name, category in self._unspaced:
            found += (Span(match.start(), match.end(), category) for match in re.finditer(name, text))
        if self._initials:
            found += (
                Span(word.start, word.end, Category.INITIALS)
                for word in words
                if word.folded in self._initials and word.written.isupper() and len(word.folded) > 2
            )
        return without_overlaps(found)

    def _is_known(self, days: list[WrittenDate]) -> bool:
        """Whether a date, or a day and month without a year, can be one of the person's."""
        return any(
            day.whole in self._dates if day.year is not None else (day.month, day.day) in self._anniversaries
            for day in days
        )

    def tells(self, made: str) -> bool:
        """Whether something made up says what is known; digits alone can only be a number or a day."""
        letters = "".join(letter for letter in made if letter.isalnum())
        if not (letters.isdigit() and letters.isascii()):
            return bool(self.find(made))
        return self._numbers.matches(letters) or any(self._is_known(days) for _, _, days in dates_in(made))

    def matches_word(self, word: str) -> bool:
        """Whether a burned-in word is (nearly) something known; the reader may have misread a character of it."""
        written = [one.folded for one in words_of(word)]
        letters = "".join(written)
        if any(self.names.matches(one) for one in {*written, letters}):
            return True
        if any(self._misread.matches(fold_misread(one)) for one in {*written, letters} if len(one) >= 4):
            return True
        if self._dates and any(self._is_known(days) for _, _, days in dates_in(word)):
            return True
        return len(letters) > 2 and self._numbers.matches(letters)


def known_in(text: str, known: KnownSearch) -> bool:
    """Whether what was read of an image says something known, as a whole or in one of its words."""
    return bool(known.find(text)) or any(known.matches_word(piece) for piece in (text, *text.split()))


def _unspaced_names(value: str) -> Iterator[str]:
    """How a name in such a script is searched for: each part, and all together; one sign alone may be any word."""
    for writing in value.split("="):
        parts = _OTHER_SCRIPTS.findall(writing)
        yield from (part for part in parts if len(part) > 1)
        if len(parts) > 1:
            yield r"[\s^]*".join(parts)


def search_for(known: Iterable[Known]) -> KnownSearch:
    """The search for these, made once for as long as the same are asked for: of a person, that is for every file."""
    return _search_for(frozenset(known))


def search_of(person: Person) -> KnownSearch:
    """The search for what is known of a person, the number in the archive included."""
    own = (Known(Category.MRN, person.patient_id),) if len(person.patient_id) >= _LEAST_ID else ()
    return search_for((*person.known, *own))


@lru_cache(maxsize=256)
def _search_for(known: frozenset[Known]) -> KnownSearch:
    return KnownSearch(known)


@lru_cache(maxsize=1024)
def dates_of(value: str) -> frozenset[dt.date]:
    """What a known date may mean; times after it do not matter."""
    text = value.strip()
    stamp = re.match(r"(?:1[89]|20|21)\d{6}(?=\d{0,6}(?:\.|[+-]|$))", text)
    found = readings(stamp[0] if stamp else text)
    return frozenset(reading.whole for reading in found[: 1 if stamp else None] if reading.whole is not None)


def fold_misread(text: str) -> str:
    """With characters that look alike made one."""
    return fold(text).translate(_MISREAD) if text.isascii() else text
