"""Dates, times and ages of a header: moved by whole days, so that intervals stay exact; ages over 89 capped."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable

_DATE = re.compile(r"(\d{4})(\.?)(\d\d)\2(\d\d)")
_MOMENT = re.compile(r"(\d{4})(\d\d)?(\d\d)?((?:\d\d){0,3}(?:\.\d{1,6})?)([+-]\d{4})?")
_TIME = re.compile(r"\d\d(?::?\d\d(?::?\d\d(?:\.\d{1,6})?)?)?")
_OFFSET = re.compile(r"[+-]\d{4}")
_AGE = re.compile(r"(\d{1,3})([DWMY])")  # with three digits, but not every machine knows
OLDEST = 89
CAPPED = "090Y"

Move = Callable[[dt.date], dt.date]


class NotMovable(Exception):
    """A value that is no date of its kind."""


def moved(value: str, vr: str, move: Move) -> str:
    """A DA, DT or TM value after `move`; a time of day, or an offset from UTC, has nothing to move."""
    text = value.strip("\0 ")
    if not text:
        return ""
    try:
        if vr == "DA":
            return _moved_date(text, move)
        if vr == "DT":
            return _moved_moment(text, move)
    except (ValueError, OverflowError):
        raise NotMovable from None
    if not (_TIME if vr == "TM" else _OFFSET).fullmatch(text):
        raise NotMovable
    return text


def _moved_date(text: str, move: Move) -> str:
    match = _DATE.fullmatch(text)
    if not match:
        raise NotMovable
    day = move(dt.date(int(match[1]), int(match[3]), int(match[4])))
    return _written(day)


def _moved_moment(text: str, move: Move) -> str:
    """Of a moment known to the month or year, its first day is moved, and as much of the result is told."""
    match = _MOMENT.fullmatch(text)
    if not match or (match[4] and not match[3]):
        raise NotMovable
    day = move(dt.date(int(match[1]), int(match[2] or 1), int(match[3] or 1)))
    told = 4 + 2 * bool(match[2]) + 2 * bool(match[3])
    return _written(day)[:told] + match[4] + (match[5] or "")


def _written(day: dt.date) -> str:
    return f"{day.year:04d}{day.month:02d}{day.day:02d}"  # strftime does not pad years before 1000


def day_of(value: str) -> dt.date | None:
    """The day a text is, if it is one of the last two centuries or of this one, and nothing else."""
    match = _DATE.fullmatch(value.strip("\0 "))
    try:
        day = dt.date(int(match[1]), int(match[3]), int(match[4])) if match else None
    except ValueError:
        return None
    return day if day and 1800 <= day.year < 2100 else None


def capped_age(value: str) -> str | None:
    """An age as DICOM writes it, or nearly, at most 090Y; None where it is not written so."""
    match = _AGE.fullmatch(value.strip("\0 "))
    if not match:
        return None
    return CAPPED if match[2] == "Y" and int(match[1]) > OLDEST else match[0]


def age_between(born: dt.date, taken: dt.date) -> str | None:
    """Whole years, capped; None where the birth comes after."""
    years = taken.year - born.year - ((taken.month, taken.day) < (born.month, born.day))
    return capped_age(f"{years:03d}Y") if 0 <= years <= 999 else None
