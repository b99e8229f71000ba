"""A released text against what is known, and against the original text."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from medveil.person.identifiers import Category
from medveil.person.person import Person
from medveil.person.search.known import KnownSearch
from medveil.person.span import Span
from medveil.person.written_dates import WrittenDate, dates_in
from medveil.release.verify.discrepancy import Discrepancy

Move = Callable[[dt.date], dt.date]
_CHECK = "text"
SHORTEST = 4  # characters; shorter ones are shared by chance
_TAKEN_OUT = re.compile(r"\[DATE\]")
_CLOCK = re.compile(r":[0-5]\d")
_PSEUDONYM = re.compile(r"\b(?=[0-9a-f]*[a-f])(?:[0-9a-f]{16}|[0-9a-f]{20})\b")
# A time of day alone identifies nobody, and an age over 89 is only told as such.
_NO_LEAK = frozenset({Category.TIME, Category.AGE_OVER_89, Category.DATE})


@dataclass(frozen=True)
class DatesTold:
    """How the dates of a person move, whether they do, and whether they are told to the day."""

    move: Move
    moves: bool = True
    days: bool = True

    @classmethod
    def of(cls, person: Person) -> DatesTold:
        return cls(person.moved, person.keys.moves_dates, person.telling.dates in ("day", "blurred"))


@dataclass(frozen=True)
class TextCheck:
    """`find` looks for identifiers afresh, surrogates included: one that is in the original too was left."""

    find: Callable[[str], list[Span]]

    def discrepancies(
        self, file: str, released: str, original: str | None, search: KnownSearch, dates: DatesTold
    ) -> list[Discrepancy]:
        moved = set() if original is None else moved_rightly(released, original, dates.move)
        found = [
            Discrepancy(file, _CHECK, f"[{one.start},{one.end})", one.category, "replaced", "a known identifier")
            for one in search.find(released)
            if one.category is not Category.DATE or (dates.moves and (one.start, one.end) not in moved)
        ]
        if not dates.days:
            found += _days(file, released)
        if original is None:
            return found
        found += self._left(file, released, original)
        found += _intervals(file, released, original, dates.move) if dates.days else []
        return found

    def _left(self, file: str, released: str, original: str) -> list[Discrepancy]:
        identifiers = {_plain(original[one.start : one.end]) for one in self.find(original)}
        return [
            Discrepancy(file, _CHECK, f"[{one.start},{one.end})", one.category, "replaced", "as in the source")
            for one in self.find(released)
            if one.category not in _NO_LEAK
            and one.end - one.start >= SHORTEST
            and _plain(released[one.start : one.end]) in identifiers
        ]


def moved_rightly(released: str, original: str, move: Move) -> set[tuple[int, int]]:
    """Places of dates that came there by moving one of the original's: its own, date for date, or one of any place.

    Such a date may well be known: another of the person's dates, or its day and month, can lie just that far back.
    Where the two texts have not as many dates, one that stands in the original too may have been left there.
    """
    before = [stated for _, stated in _stated_in(original)]
    after = _stated_in(released)
    left = {stated for dates in before for stated in dates}
    moved = [{later for stated in dates for later in _moved(*stated, move)} for dates in before]
    anywhere = {stated for dates in moved for stated in dates}
    own = moved if len(before) == len(after) else [set[Stated]()] * len(after)
    return {
        place
        for (place, stated), its_own in zip(after, own, strict=True)
        if stated & its_own or (stated & anywhere and not stated & left)
    }


Stated = tuple[int | None, int, int]  # year, where it is told, month and day


def _stated_in(text: str) -> list[tuple[tuple[int, int], set[Stated]]]:
    """Every place of a date and what it may mean; one that was taken out means nothing."""
    found: dict[tuple[int, int], set[Stated]] = {match.span(): set() for match in _TAKEN_OUT.finditer(text)}
    for start, end, readings in _dates(text):
        means = found.setdefault((start, end), set())
        means |= {(one.year, one.month, one.day) for one in readings if one.month is not None and one.day is not None}
    return sorted(found.items(), key=lambda one: one[0])


def _moved(year: int | None, month: int, day: int, move: Move) -> set[Stated]:
    """Where the year is not told it may be a leap year or not."""
    found: set[Stated] = set()
    for any_year in (year,) if year is not None else (2023, 2024, 2025):
        try:
            then = move(dt.date(any_year, month, day))
        except (ValueError, OverflowError):
            continue
        found.add((then.year if year is not None else None, then.month, then.day))
    return found


def _days(file: str, released: str) -> list[Discrepancy]:
    """Where dates are told to the month or less, no text tells a day."""
    without = _PSEUDONYM.sub("", released)  # some of their digits look like a date
    return [
        Discrepancy(file, "intervals", f"date {number}", "C", "told as in the table", "a whole date")
        for number, _ in enumerate(_whole_dates(without), start=1)
    ]


def _intervals(file: str, released: str, original: str, move: Move) -> list[Discrepancy]:
    """Every whole date of the original must stand in the released text, moved as the person's are, in its order."""
    before, after = _whole_dates(original), _whole_dates(released)
    if not after or len(before) != len(after):
        return []  # dates were taken out rather than moved
    return [
        Discrepancy(file, "intervals", f"date {number}", "C", "moved by the person's shift", "another date")
        for number, (old, new) in enumerate(zip(before, after, strict=True), start=1)
        if not any(move(day) in new for day in old)
    ]


def _whole_dates(text: str) -> list[set[dt.date]]:
    """For every date with its year, the days it may mean: 3/4/2019 has two readings."""
    read = ({day for reading in readings if (day := reading.whole)} for _, _, readings in _dates(text))
    return [days for days in read if days]


def _dates(text: str) -> Iterator[tuple[int, int, list[WrittenDate]]]:
    """Every date of the text. What looks like a year before a colon is an hour: July 1 15:58."""
    for start, end, readings in dates_in(text):
        if not _CLOCK.match(text, end):
            yield start, end, readings


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().lower()
