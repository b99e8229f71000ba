"""The dates of one note: in which order and language it writes them, when it was written, and whom they make 90."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterable
from functools import cached_property

from medveil.person.date_ranges import moved_range
from medveil.person.identifiers import Category
from medveil.person.normalised import NormalisedText
from medveil.person.person import Person
from medveil.person.search.known import dates_of
from medveil.person.span import Span
from medveil.person.spoken_dates import moved_spoken, spoken_readings
from medveil.person.telling import OLDEST_SHOWN
from medveil.person.written_dates import (
    DateOrder,
    Grain,
    WrittenDate,
    choose,
    dates_apart,
    dates_in,
    moved,
    order_in,
    readings,
)

_BORN_BEFORE = re.compile(
    r"(?:\bd\.?\s?o\.?\s?b\b\.?|\by\.?o\.?b\b\.?|\bborn\b|\bbirth|\bb-?day\b|(?<!\w)b\.|\bgeb(?:oren)?\b\.?|\bnée?\b|"
    r"\bnacid[oa]\b|\bnat[oa]\b)(?:(?![.] )[^\d\n;]){0,14}$",
    re.IGNORECASE,
)
_BORN_AFTER = re.compile(r"[ \t]*[(,]?[ \t]*(?:dob\b|d\.o\.b|(?:date|year|day) of birth|birth)", re.IGNORECASE)
_RELATIVE = re.compile(
    r"\b(?:mother|father|mom|mum|dad|parents?|grand\w+|aunt|uncle|sister|brother|husband|wife|spouse|sibling)\b[^.;\n]*$",
    re.IGNORECASE,
)
_CHILDHOOD = dt.timedelta(days=3650)  # films of one person rarely lie so far apart, and a birth nearly always does
_LONGEST_LIFE = 125
_WEEK_OF = re.compile(r"(?:week|wk)\s+(?:of|beginning|commencing|ending)\s+", re.IGNORECASE)
_BETWEEN = re.compile(r"(?:[\s,;&()/–—-]|\b(?:and|to|through|thru|until|till|or|on|the|of|then|at)\b)*", re.IGNORECASE)


class NoteDates:
    """`years`: of every date the year alone is left, as it is."""

    def __init__(self, person: Person, text: str, found: Iterable[Span], *, years: bool = False) -> None:
        self.person = person
        self._text = text
        self._found = list(found)
        self._years = years

    def like(self, found: Span, piece: str) -> str | None:
        """The date that stands for this one; None where none may."""
        telling = self.person.telling
        hidden = telling.dates == "dropped" or self._reveals_age(found, piece)
        if hidden:
            return None
        if self._years:
            return self._year(piece)
        if week := _WEEK_OF.match(piece):
            rest = self.like(Span(found.start + week.end(), found.end, found.category), piece[week.end() :])
            return None if rest is None else week[0] + rest
        grain: Grain = "day" if telling.dates == "blurred" else telling.dates  # type: ignore[assignment]
        whole = self._moved(piece, grain)
        if whole is None and grain == "day":
            move, around = self.person.moved, self.written_on
            spanned = moved_range(piece, move, around, self._languages)
            return spanned or moved_spoken(piece, move, self.known, around) or self._piecewise(piece)
        return whole

    def _moved(self, piece: str, grain: Grain) -> str | None:
        return moved(
            piece, self.person.moved, self.known, self.written_on, grain, order=self.order, languages=self._languages
        )

    def _piecewise(self, piece: str) -> str | None:
        """Several dates with nothing but small words between them, each moved; None where anything else is there."""
        made, last = [], 0
        for start, end, _ in dates_in(piece):
            new = self._moved(piece[start:end], "day") if start >= last else None
            if new is not None:
                if not _BETWEEN.fullmatch(piece[last:start]):
                    return None
                made += [piece[last:start], new]
                last = end
        return "".join((*made, piece[last:])) if made and _BETWEEN.fullmatch(piece[last:]) else None

    def _year(self, piece: str) -> str | None:
        found = _read(piece) or next((own for *_, own in dates_in(piece)), [])
        year = choose(found, self.known, self.order).year if found else None
        return None if year is None else str(year)

    @cached_property
    def very_old(self) -> bool:
        """Whether the note tells that the patient is 90 or more: by an age, or a day that only a birth can be."""
        ages = (one for one in self._found if one.category is Category.AGE_OVER_89)
        if any(not _RELATIVE.search(self._text[max(0, one.start - 40) : one.start]) for one in ages):
            return True
        return any(
            self._makes_old(self._text[one.start : one.end], told=not self._is_birth(one.start, one.end))
            for one in self._found
            if one.category is Category.DATE
        )

    def _reveals_age(self, found: Span, piece: str) -> bool:
        """A birth date of somebody whose age is not told, or a year that only the oldest remember."""
        if self.person.telling.ages == 1 and not self.very_old:
            return False
        if self._is_birth(found.start, found.end) or (self.very_old and self._makes_old(piece, told=True)):
            return True
        first, last = min(self.known, default=None), max(self.known, default=None)
        if first is None or last is None or last - first < _CHILDHOOD:
            return False
        return any(reading.year == first.year and reading.whole in (first, None) for reading in _read(piece))

    def _is_birth(self, start: int, end: int) -> bool:
        before = self._text[max(0, start - 36) : start]
        return bool(_BORN_BEFORE.search(before) or _BORN_AFTER.match(self._text, end))

    def _makes_old(self, piece: str, *, told: bool = False) -> bool:
        """Whether it lies 90 years or more before the note in any century; if `told`, its year is told in full."""
        now = self.written_on
        years = {reading.year for reading in _read(piece) if reading.year is not None}
        if now is None or (told and len(years) > 1):  # 5/1/23 may be of another century
            return False
        past = [now.year - year for year in years if year <= now.year]
        return bool(past) and all(OLDEST_SHOWN <= age <= _LONGEST_LIFE for age in past)

    @cached_property
    def known(self) -> frozenset[dt.date]:
        known = (dates_of(one.value) for one in self.person.known if one.category is Category.DATE)
        return frozenset(day for days in known for day in days)

    @cached_property
    def _written(self) -> list[list[WrittenDate]]:
        """Every day that the text names, and how each may be read; with its weekday where one was found beside it."""
        text = NormalisedText.of(self._text).text
        found = list(dates_apart(text))
        pieces = (self._text[one.start : one.end] for one in self._found if one.category is Category.DATE)
        return found + [own for piece in pieces if piece[0].isalpha() and (own := _read(piece))]

    @cached_property
    def order(self) -> DateOrder | None:
        """That of this note, else that of the table it stands in."""
        return order_in(self._written, self.known) or self.person.date_order

    @cached_property
    def _languages(self) -> tuple[str, ...]:
        """In which months are named, the likeliest first; a note in two languages is rare."""
        told = Counter(language for found in self._written for language in found[0].languages)
        return tuple(sorted(told, key=lambda language: (-told[language], language != "en", language)))

    @cached_property
    def written_on(self) -> dt.date | None:
        """When the note was written: the last whole date in it, one that is known or has its century before others."""
        chosen = ((choose(found, self.known, self.order).whole, found) for found in self._written)
        days = {day: len({one.year for one in found}) == 1 for day, found in chosen if day}
        full = {day for day, told in days.items() if told}
        return max(days.keys() & self.known or full or days or self.known, default=None)


def _read(piece: str) -> list[WrittenDate]:
    return readings(piece) or spoken_readings(piece)
