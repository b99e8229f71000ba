"""Dates as people write them: read in their own format, moved, and written in that format again.

Whole dates, and parts of one: month and day, month and year, a year, a decade, a day of the month, a weekday. Which of
two numbers is the month follows from the order that the note has elsewhere, from what is known of the person and from
the weekday beside them, else from the separator's usual meaning.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from typing import Literal, NamedTuple

from medveil.person.calendar_words import MONTHS, WEEKDAYS

Grain = Literal["day", "month", "quarter", "year"]
DateOrder = Literal["day-first", "month-first"]
_ENOUGH = 2000  # texts of a table
_SHORT = 200  # characters; a longer text is a report, which is asked about several times in a row

_MONTH = rf"(?P<month>{MONTHS.pattern})(?![^\W\d_])"
_NAMED_DAY = rf"(?P<weekday>{WEEKDAYS.pattern})"
_WEEKDAY = rf"(?:{_NAMED_DAY}(?P<after>\.?,?\s+(?:(?:the|den|dem|le|el|il)\s+)?))?"
_DAY = r"(?P<day>[0-3]?\d)(?P<ordinal>\s?(?:st|nd|rd|th|er\b|º))?"
_YEAR = r"(?P<year>(?:1[89]|20|21)\d\d|['’]?\d\d)"
_FULL_YEAR = r"(?P<year>(?:1[89]|20|21)\d\d)"
# Not the hour of `July 1 15:58`, `July 1 10 am` or `July 1 1830 hrs`.
_END = r"(?!\d|:\d|\s?(?:[ap]\.?m|h|hrs|hours)\b)"
_GAP = r"(?:[\s,.\-/]|\b(?:of|del?)\b)*"

_FORMS = tuple(
    re.compile(rf"{pattern}", re.IGNORECASE)
    for pattern in (
        rf"{_WEEKDAY}{_MONTH}\.?[\s\-]{{0,3}}{_DAY}(?:[\s,.\-/]+{_YEAR})?{_END}",
        rf"{_WEEKDAY}(?:the\s+)?{_DAY}{_GAP}{_MONTH}\.?(?:{_GAP}{_YEAR})?{_END}",
        rf"{_WEEKDAY}{_FULL_YEAR}[\s,.\-/]*{_MONTH}[\s,.\-/]*{_DAY}(?!\d)",
        rf"{_MONTH}{_GAP}(?P<year>(?:1[89]|20|21)\d\d|['’]\d\d)(?!\d)",
        rf"{_FULL_YEAR}(?P<separator>[-/.:\s]?)(?P<second>[01]\d)(?P=separator)(?P<third>[0-3]\d)(?!\d)",
        rf"{_FULL_YEAR}(?P<separator>[-/.])(?P<second>\d\d?)(?P=separator)(?P<third>\d\d?)(?!\d)",
        rf"{_WEEKDAY}(?P<first>\d\d?)(?P<separator>\s?[-/.]\s?|\s)(?P<second>\d\d?)(?:(?P=separator)|\s?[-/.]\s?){_YEAR}{_END}",
        r"(?P<first>[0-3]\d)(?P<separator>)(?P<second>[0-3]\d)(?P<year>(?:19|20)\d\d)(?!\d)",
        r"(?P<first>\d\d)(?P<separator>)(?P<second>\d\d)(?P<third>\d\d)(?!\d)",
        rf"(?P<monthnumber>[01]?\d)\s?[-/.]\s?{_FULL_YEAR}(?!\d)",
        rf"{_FULL_YEAR}\s?[-/.]\s?(?P<monthnumber>[01]\d)(?!\d)",
        rf"{_WEEKDAY}(?P<first>[0-3]?\d)(?P<separator>[-/.])(?P<second>[0-3]?\d)(?![\d])",
        rf"(?:{_FULL_YEAR})(?!\d)",
        r"(?P<decade>(?:1[89]|20)\d0)['’]?s",
        rf"{_WEEKDAY}(?:the\s+)?(?P<day>[0-3]?\d)(?P<ordinal>\s?(?:st|nd|rd|th))",
        rf"{_MONTH}",
        r"['’](?P<year>\d\d)(?!\d)",
        rf"{_NAMED_DAY}",
        r"(?P<monthnumber>0?[1-9]|1[0-2])/(?P<year>3[2-9]|[4-9]\d)",
    )
)
# What may stand in a running text for a day, by how it begins; lesser parts of a date need rules that know the
# sentence.
_SLASHED = re.compile(r"(?P<first>[01]?\d)(?P<separator>/)(?P<second>[0-3]?\d)(?![\d/])")
_AFTER_NUMBER = (*_FORMS[1:3], *_FORMS[4:9], _SLASHED)
_AFTER_LETTERS = (*_FORMS[1:3], *_FORMS[4:8])  # only what says its year: L4/5 is no day
_AFTER_MONTH = _FORMS[:1]
_BEGINNING = re.compile(
    r"(?<![\w/.\-])(?:\d|(?P<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?[\s\-]{0,3}\d)",
    re.IGNORECASE,
)
_STUCK = re.compile(r"(?<=[^\W\d])\d")
# What all those that begin with a number have in common: most numbers of a report are no dates.
_GOES_ON = re.compile(
    r"\d{1,4}+(?:\s?(?:st|nd|rd|th|er|º))?(?:[\s,.\-/:]|\b(?:of|del?)\b)*+"
    rf"(?:\d|{MONTHS.pattern})",
    re.IGNORECASE,
)


class WrittenDate(NamedTuple):
    """One reading of a text as a date; what the text does not say is None."""

    text: str
    year: int | None
    month: int | None
    day: int | None
    places: tuple[tuple[str, int, int], ...]  # what stands where: year, month, day, ordinal, weekday, decade

    @property
    def whole(self) -> dt.date | None:
        if self.year is None or self.month is None or self.day is None:
            return None
        return dt.date(self.year, self.month, self.day)

    @property
    def order(self) -> DateOrder | None:
        """Where both are numbers and a sign stands between them, which of day and month comes first."""
        numbers = [one for one in self.places if one[0] != "weekday"][:2]
        if {what for what, *_ in numbers} != {"day", "month"} or numbers[0][2] == numbers[1][1]:
            return None
        if not all(self.text[start].isdigit() for _, start, _ in numbers):
            return None
        return "day-first" if numbers[0][0] == "day" else "month-first"

    @property
    def dotted(self) -> bool:
        """Points between the numbers: only day-first dates are written so."""
        return self.order is not None and self.text[self.places[0][2] : self.places[-1][1]].count(".") > 0

    @property
    def habit(self) -> DateOrder | None:
        """Where the month is a word, on which side of the day it stands."""
        named = [what for what, *_ in self.places if what in ("day", "month")]
        if len(named) < 2 or all(self.text[start].isdigit() for what, start, _ in self.places if what == "month"):
            return None
        return "day-first" if named[0] == "day" else "month-first"

    @property
    def agrees(self) -> bool:
        """Whether the weekday beside it is that day's."""
        day = self.whole
        named = [self.text[start:end] for what, start, end in self.places if what == "weekday"]
        return day is not None and bool(named) and WEEKDAYS.number(named[0]) == day.isoweekday()

    @property
    def languages(self) -> set[str]:
        """In which a month's name is written; a point after the day is not English."""
        named = [self.text[start:end] for what, start, end in self.places if what == "month"]
        read = {one.language for name in named if not name[0].isdigit() for one in MONTHS.read(name)}
        pointed = any(what == "day" and self.text[end : end + 2] in (". ", ".\n") for what, _, end in self.places)
        return read - {"en"} if pointed and len(read) > 1 else read

    def written(self, day: dt.date, languages: tuple[str, ...] = ()) -> str:
        """Another date in the same format."""
        pieces, last = [], 0
        numbers = [end - start for what, start, end in self.places if what in ("month", "day", "ordinal")]
        padded = all(length == 2 for length in numbers) and not any(what == "ordinal" for what, *_ in self.places)
        for what, start, end in self.places:
            tight = self.text[end : end + 1] == "-" or self.text[start - 1 : start] == "-"
            new = _render(what, self.text[start:end], day, languages, padded=padded, tight=tight)
            pieces += [self.text[last:start], new]
            last = end
        return "".join((*pieces, self.text[last:]))


def readings(text: str) -> list[WrittenDate]:
    """Every way to read the whole text as a date, the usual one first; none where it is not a date."""
    return list(_remembered_readings(text))


@lru_cache(maxsize=512)
def _remembered_readings(text: str) -> tuple[WrittenDate, ...]:
    core = text.strip()
    for form in _FORMS:
        if match := form.fullmatch(core):
            found = tuple(_read(text, match, text.index(core) if core else 0))
            if found:
                return found
    return ()


def dates_in(text: str) -> Iterable[tuple[int, int, list[WrittenDate]]]:
    """Where a running text names a day, with or without its year, and how that may be read."""
    return _remembered_dates(text) if len(text) > _SHORT else _dates_in(text)


@lru_cache(maxsize=8)
def _remembered_dates(text: str) -> tuple[tuple[int, int, list[WrittenDate]], ...]:
    return tuple(_dates_in(text))


def _dates_in(text: str) -> Iterator[tuple[int, int, list[WrittenDate]]]:
    for beginning in _BEGINNING.finditer(text):
        number = not beginning["name"]
        if number and not _GOES_ON.match(text, beginning.start()):
            continue
        for form in _AFTER_NUMBER if number else _AFTER_MONTH:
            if (match := form.match(text, beginning.start())) and (found := list(_read(text, match, 0))):
                yield match.start(), match.end(), found


def dates_apart(text: str) -> Iterator[list[WrittenDate]]:
    """As `dates_in`, without what begins inside another: the `Apr 23` of 11 Apr 23 is none."""
    begun, past = -1, 0
    for start, end, found in dates_in(text):
        if start == begun or start >= past:
            begun, past = start, max(past, end)
            yield found


def dates_after_letters(text: str) -> Iterator[tuple[int, int, list[WrittenDate]]]:
    """Days with their year that are run together with the word before them: DOB19560312."""
    for beginning in _STUCK.finditer(text):
        for form in _AFTER_LETTERS if _GOES_ON.match(text, beginning.start()) else ():
            if match := form.match(text, beginning.start()):
                found = [reading for reading in _read(text, match, 0) if reading.whole]
                if found:
                    yield match.start(), match.end(), found


def choose(found: list[WrittenDate], known: Collection[dt.date], order: DateOrder | None = None) -> WrittenDate:
    """Of those in the note's order one that is the person's date, else one that fits its weekday, else the usual."""
    fitting = [one for one in found if one.order in (None, order)] or found
    for fits in (lambda one: one.whole in known, lambda one: one.agrees):
        if chosen := next(filter(fits, fitting), None):
            return chosen
    return fitting[0]


def order_in(written: Iterable[list[WrittenDate]], known: Collection[dt.date]) -> DateOrder | None:
    """Which of two numbers comes first in these dates of one hand, where they tell.

    They tell by a number above twelve, a date that is known or a weekday that fits; else by the side on which days
    stand of months that are words, and by the points of numbers, which only day-first dates have.
    """
    told: Counter[DateOrder] = Counter()
    habits: Counter[DateOrder] = Counter()
    for found in written:
        usual, orders = found[0], {one.order for one in found if one.order and one.year is not None}
        if usual.dotted:
            habits["day-first"] += 1
        elif len(orders) > 1:
            sure = {one.order for one in found if one.order and (one.whole in known or one.agrees)}
            told.update(sure if len(sure) == 1 else ())
        elif orders:
            told.update(orders)
        elif usual.habit:
            habits[usual.habit] += 1
    for votes in (told, habits):
        first = votes.most_common(2)
        if first and (len(first) == 1 or first[0][1] > first[1][1]):
            return first[0][0]
    return None


def order_of(texts: Iterable[str]) -> DateOrder | None:
    """That of most dates in the first of these texts, as many as are enough to tell."""
    return order_in((found for text in islice(texts, _ENOUGH) for found in dates_apart(text)), ())


def moved(
    text: str,
    move: Callable[[dt.date], dt.date],
    known: Collection[dt.date],
    around: dt.date | None,
    grain: Grain = "day",
    order: DateOrder | None = None,
    languages: tuple[str, ...] = (),
) -> str | None:
    """The text's date after `move`, in its own format or to the grain; None where it is no date, or none is left.

    `around` is when the text was written: it tells the year of "March 3rd" and the month of "the 12th". `order` and
    `languages` are those of the note.
    """
    found = readings(text)
    if not found:
        return None
    reading = choose(found, known, order)
    day = reading.whole or completed(reading, known, around or dt.date(2001, 12, 31))
    try:
        later = move(day) if day else None
    except (OverflowError, ValueError):
        return None
    if later is None:
        return None
    return reading.written(later, languages) if grain == "day" else _coarse(reading, later, grain)


def _coarse(reading: WrittenDate, day: dt.date, grain: Grain) -> str | None:
    """No more of the day than the grain, and no more than was written."""
    if reading.year is None:  # a month alone is a month of a year that the text tells elsewhere
        return MONTHS.named(day.month, "January") if grain == "month" and reading.month is not None else None
    if grain == "year" or reading.month is None:
        return f"{day.year:04d}"
    if grain == "month":
        return f"{MONTHS.named(day.month, 'January')} {day.year:04d}"
    return f"Q{(day.month + 2) // 3} {day.year:04d}"


def completed(reading: WrittenDate, known: Collection[dt.date], around: dt.date) -> dt.date | None:
    """The day that part of a date most likely means."""
    if reading.year is not None:
        if reading.day is not None and reading.month is not None:
            return reading.whole
        middle = 5 if any(what == "decade" for what, *_ in reading.places) else 0
        return dt.date(reading.year + middle, reading.month or 7, 1 if reading.month is None else 15)
    if reading.day is None and reading.month is None:
        (named,) = (reading.text[start:end] for what, start, end in reading.places if what == "weekday")
        return around - dt.timedelta(days=(around.isoweekday() - WEEKDAYS.number(named)) % 7)
    if reading.day is None:
        return _latest((_day(year, reading.month or 1, 15) for year in _years(around)), around)
    if reading.month is None:
        months = [(around.year, around.month), _month_before(around), _month_before(_month_before_date(around))]
        return _latest((_day(year, month, reading.day) for year, month in months), around)
    same = [day for day in known if (day.month, day.day) == (reading.month, reading.day)]
    if same:
        return min(same, key=lambda day: (abs(day - around), day))
    return _latest((_day(year, reading.month, reading.day) for year in _years(around)), around)


def _years(around: dt.date) -> range:
    return range(around.year + 1, max(around.year - 9, 1), -1)


def _latest(days: Iterator[dt.date | None], around: dt.date) -> dt.date | None:
    """The last of these that was not yet to come."""
    past = [day for day in days if day is not None and day <= around + dt.timedelta(days=31)]
    return max(past, default=None)


def _month_before(day: dt.date) -> tuple[int, int]:
    return (day.year, day.month - 1) if day.month > 1 else (day.year - 1, 12)


def _month_before_date(day: dt.date) -> dt.date:
    year, month = _month_before(day)
    return dt.date(year, month, 1)


def _day(year: int, month: int, day: int) -> dt.date | None:
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None


def _read(text: str, match: re.Match[str], offset: int) -> Iterator[WrittenDate]:
    groups = {name: value for name, value in match.groupdict().items() if value}
    for roles in _roles(groups):
        numbers = {role: _number(groups[name]) for role, name in roles.items()}
        month, day = numbers.get("month"), numbers.get("day")
        years = [year for year in _centuries(numbers.get("year")) if _possible(year, month, day)]
        if not years:
            continue
        named = [*roles.items(), *((extra, extra) for extra in ("ordinal", "weekday") if extra in groups)]
        placed = [
            ("decade" if name == "decade" else role, match.start(name) + offset, match.end(name) + offset)
            for role, name in named
        ]
        places = tuple(sorted(placed, key=itemgetter(1)))
        yield from (WrittenDate(text, year, month, day, places) for year in years)


def _centuries(year: int | None) -> tuple[int | None, ...]:
    """Two digits are of this century where that is not far ahead, else of the last; either may be meant."""
    if year is None or year >= 100:
        return (year,)
    return (2000 + year, 1900 + year) if year <= 30 else (1900 + year, 2000 + year)


def _roles(groups: dict[str, str]) -> list[dict[str, str]]:
    """Which group is the year, the month and the day: the usual reading first."""
    if "first" not in groups and "second" not in groups:
        return [dict(_plain(groups))]
    year = {"year": "year"} if "year" in groups else {}
    if "first" not in groups:
        return [{**year, "month": "second", "day": "third"}, {**year, "day": "second", "month": "third"}]
    if "third" in groups:  # six digits
        return [
            {"year": "first", "month": "second", "day": "third"},
            {"month": "first", "day": "second", "year": "third"},
            {"day": "first", "month": "second", "year": "third"},
        ]
    month_first = {"month": "first", "day": "second", **year}
    day_first = {"day": "first", "month": "second", **year}
    return [day_first, month_first] if "." in groups.get("separator", "") else [month_first, day_first]


def _plain(groups: dict[str, str]) -> Iterator[tuple[str, str]]:
    for name in ("year", "month", "monthnumber", "day"):
        if name in groups:
            yield name.removesuffix("number"), name
    if "decade" in groups:
        yield "year", "decade"


def _number(written: str) -> int:
    if written[0].isalpha():
        return MONTHS.number(written)
    return int(written.lstrip("'’"))


def _possible(year: int | None, month: int | None, day: int | None) -> bool:
    return _day(2000 if year is None else year, 1 if month is None else month, 1 if day is None else day) is not None


def _render(what: str, old: str, day: dt.date, languages: tuple[str, ...], *, padded: bool, tight: bool) -> str:
    match what:
        case "year":
            mark = old[0] if old[0] in "'’" else ""
            return f"{mark}{day.year % 100:02d}" if len(old) <= 3 else f"{day.year:04d}"
        case "decade":
            return f"{day.year // 10 * 10:04d}"
        case "month" if old[0].isalpha():
            return MONTHS.named(day.month, old, languages, tight=tight)
        case "weekday":
            return WEEKDAYS.named(day.isoweekday(), old, languages)
        case "ordinal":
            return _ordinal(old, day.day)
    number = day.month if what == "month" else day.day
    return f"{number:02d}" if padded or old[0] == "0" else str(number)


def _ordinal(old: str, day: int) -> str:
    if old.endswith("º"):
        return old
    if old.endswith("er"):  # the first in French, and no other day
        return old if day == 1 else ""
    ending = "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return old[: len(old) - 2] + (ending.upper() if old.isupper() else ending)
