"""Spans of time as people write them (March 3-5, 2021; 8th to 22nd July; 1967-71): both ends are moved."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable

from medveil.person.calendar_words import MONTHS

_JOINT = r"(?P<joint>\s?[-–—]\s?|\s(?:to|and|through|until|till|bis|und|au|al|et|y)\s(?:the\s)?)"
_END = r"(?P<ordinal{0}>\s?(?:st|nd|rd|th|\.))?"
_DAYS = rf"(?P<first>[0-3]?\d){_END.format(1)}{_JOINT}(?P<last>[0-3]?\d){_END.format(2)}"
_NAME = rf"(?P<month>{MONTHS.pattern})\.?"
_YEAR = r"(?P<comma>,?\s+(?:of\s+)?)(?P<year>(?:1[89]|20|21)\d\d)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_NAME}(?P<gap>\s+(?:the\s+)?){_DAYS}(?:{_YEAR})?",
        rf"(?P<the>the\s+)?{_DAYS}(?P<gap>\s+(?:of\s+|de\s+)?){_NAME}(?:{_YEAR})?",
    )
)
_YEARS = re.compile(
    r"(?P<first>(?:1[89]|20|21)\d\d)(?P<joint>\s?[-–—/]\s?|\s(?:to|and)\s)(?P<last>(?:1[89]|20|21)?\d\d)"
)


def moved_range(
    text: str, move: Callable[[dt.date], dt.date], around: dt.date | None, languages: tuple[str, ...] = ()
) -> str | None:
    """Both ends after `move`, in the format they have; None where the text is no span of time."""
    try:
        if years := _YEARS.fullmatch(text.strip()):
            return _years(years, move)
        for form in _FORMS:
            if found := form.fullmatch(text.strip()):
                return _days(found, move, around or dt.date(2001, 12, 31), languages)
    except (ValueError, OverflowError):
        return None
    return None


def _years(found: re.Match[str], move: Callable[[dt.date], dt.date]) -> str | None:
    first, last = int(found["first"]), found["last"]
    second = int(last) if len(last) == 4 else first // 100 * 100 + int(last)
    if second < first:
        return None
    later = [move(dt.date(year, 7, 1)).year for year in (first, second)]
    same_century = later[0] // 100 == later[1] // 100
    return f"{later[0]}{found['joint']}{f'{later[1] % 100:02d}' if len(last) == 2 and same_century else later[1]}"


def _days(
    found: re.Match[str], move: Callable[[dt.date], dt.date], around: dt.date, languages: tuple[str, ...]
) -> str | None:
    month = MONTHS.number(found["month"])
    year = int(found["year"]) if found["year"] else around.year - ((month, 1) > (around.month + 1, 1))
    ends = [move(dt.date(year, month, int(found[end]))) for end in ("first", "last")]
    if ends[0] > ends[1]:
        return None
    days = [_day(found, end, day) for end, day in zip(("first", "last"), ends, strict=True)]
    names = [MONTHS.named(day.month, found["month"], languages) for day in ends]
    years = [f"{found['comma']}{day.year}" if found["year"] else "" for day in ends]
    gap, joint = found["gap"], found["joint"]
    same_year, same_month = ends[0].year == ends[1].year, (ends[0].year, ends[0].month) == (ends[1].year, ends[1].month)
    first_year = "" if same_year else years[0]
    if found.start("month") < found.start("first"):
        second = days[1] if same_month else f"{names[1]}{gap}{days[1]}"
        return f"{names[0]}{gap}{days[0]}{first_year}{joint}{second}{years[1]}"
    first = days[0] if same_month else f"{days[0]}{gap}{names[0]}{first_year}"
    return f"{found['the'] or ''}{first}{joint}{days[1]}{gap}{names[1]}{years[1]}"


def _day(found: re.Match[str], end: str, day: dt.date) -> str:
    written = found["ordinal1" if end == "first" else "ordinal2"] or ""
    if written.strip().lower() in ("st", "nd", "rd", "th"):
        ending = "th" if 10 <= day.day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
        written = written[:-2] + (ending.upper() if written.isupper() else ending)
    return f"{day.day}{written}"
