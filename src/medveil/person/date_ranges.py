"""Spans of time as people write them: March 3-5, 2021; 8th to 22nd July; 1967-71; mid-August; spring 2019; Q3 2021.

Of those with two ends both are moved, of the others the middle.
"""

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

_YEAR_AFTER = r"(?:(?P<comma>(?:,|\s+of)?\s*)(?P<year>(?:1[89]|20|21)\d\d))"
_PARTS = {"early": 5, "beginning of": 5, "start of": 5, "mid": 15, "middle of": 15, "late": 25, "end of": 25}
_PART = re.compile(rf"(?P<part>{'|'.join(_PARTS)})(?P<gap>[\s-]+){_NAME}{_YEAR_AFTER}?", re.IGNORECASE)
_SEASONS = {"winter": 1, "spring": 4, "summer": 7, "fall": 10, "autumn": 10}
_SEASON = re.compile(rf"(?P<season>{'|'.join(_SEASONS)}){_YEAR_AFTER}?", re.IGNORECASE)
_QUARTER = re.compile(r"(?P<mark>q)(?P<quarter>[1-4])(?P<gap>[\s,/-]*)(?P<year>(?:19|20)\d\d)", re.IGNORECASE)


def moved_range(
    text: str, move: Callable[[dt.date], dt.date], around: dt.date | None, languages: tuple[str, ...] = ()
) -> str | None:
    """Both ends after `move`, in the format they have; None where the text is no span of time."""
    try:
        if years := _YEARS.fullmatch(text.strip()):
            return _years(years, move)
        now = around or dt.date(2001, 12, 31)
        for form in _FORMS:
            if found := form.fullmatch(text.strip()):
                return _days(found, move, now, languages)
        if found := _PART.fullmatch(text.strip()):
            return _part_of_month(found, move, now, languages)
        if found := _SEASON.fullmatch(text.strip()):
            return _season(found, move, now)
        if found := _QUARTER.fullmatch(text.strip()):
            day = move(dt.date(int(found["year"]), 3 * int(found["quarter"]) - 1, 15))
            return f"{found['mark']}{(day.month + 2) // 3}{found['gap']}{day.year}"
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


def _part_of_month(
    found: re.Match[str], move: Callable[[dt.date], dt.date], now: dt.date, languages: tuple[str, ...]
) -> str:
    """Early, mid or late as the moved day is; the words of another form (end of) become one of these."""
    month = MONTHS.number(found["month"])
    year = int(found["year"]) if found["year"] else now.year - ((month, 1) > (now.month + 1, 1))
    day = move(dt.date(year, month, _PARTS[" ".join(found["part"].lower().split())]))
    part = "early" if day.day <= 10 else "mid" if day.day <= 20 else "late"
    part = part.capitalize() if found["part"][0].isupper() else part
    gap = "-" if part.lower() == "mid" else " "
    told = f"{found['comma']}{day.year}" if found["year"] else ""
    return f"{part}{gap}{MONTHS.named(day.month, found['month'], languages)}{told}"


def _season(found: re.Match[str], move: Callable[[dt.date], dt.date], now: dt.date) -> str:
    """The season of the moved middle, on the same half of the earth."""
    named = found["season"]
    day = move(dt.date(int(found["year"] or now.year), _SEASONS[named.lower()], 15))
    of_year = ("winter", "spring", "summer", "autumn" if named.lower() == "autumn" else "fall")[day.month % 12 // 3]
    season = of_year.upper() if named.isupper() else of_year.capitalize() if named[0].isupper() else of_year
    return f"{season}{found['comma']}{day.year}" if found["year"] else season


def _day(found: re.Match[str], end: str, day: dt.date) -> str:
    written = found["ordinal1" if end == "first" else "ordinal2"] or ""
    if written.strip().lower() in ("st", "nd", "rd", "th"):
        ending = "th" if 10 <= day.day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
        written = written[:-2] + (ending.upper() if written.isupper() else ending)
    return f"{day.day}{written}"
