"""Dates in a column of text: the day first or the month, as the whole column shows and never value by value."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Literal, get_args

import pandas as pd

from medveil.errors import InputError

DateOrder = Literal["day-first", "month-first"]
ORDERS: tuple[str, ...] = get_args(DateOrder)
_PLAIN = r"^\d{4}-\d\d-\d\d(?:[T ]\d\d?:\d\d.*)?$"
_DIGITS = r"^(?:19|20|21|22)\d{6}$"
_CLOCK = (
    r"(?:[T ,]+(?P<hour>\d{1,2})[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d)(?:[.,]\d+)?)?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?)?)?"
)
_YEAR_FIRST = re.compile(rf"(?P<year>\d{{4}})(?P<mark>[-/.])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}}){_CLOCK}")
_STAMP = re.compile(
    r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)?(?:\.\d+)?"
)
_NUMBERS = re.compile(
    rf"(?P<first>\d{{1,2}})(?P<mark>[-/.])(?P<second_part>\d{{1,2}})(?P=mark)(?P<year>\d{{4}}|\d\d){_CLOCK}"
)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = r"(?P<name>[A-Za-z]{3,9})\.?"
_DAY_AND_NAME = re.compile(rf"(?P<day>\d{{1,2}})\.?[-/ ]{_MONTH}[-/ ,]+(?P<year>\d{{4}}){_CLOCK}")
_NAME_AND_DAY = re.compile(rf"{_MONTH}[-/ ](?P<day>\d{{1,2}}),?[-/ ]+(?P<year>\d{{4}}){_CLOCK}")
_SERIAL = re.compile(r"\d{1,5}(?:\.\d+)?")
_OLDEST_OF_THIS_CENTURY = 68  # of years with two digits, as everywhere since POSIX


def parse_dates(
    values: pd.Series, order: DateOrder | None = None, *, serials_from: datetime | None = None, where: str = "the table"
) -> pd.Series:
    """Timestamps to the second; missing where a value is none. `serials_from` is day 0 of a spreadsheet.

    Raises InputError where days and months cannot be told apart, for a guess would move every interval.
    """
    text = values.astype("str").str.strip()
    plain = text.where(text.str.match(_PLAIN, na=False))
    found = pd.to_datetime(plain, format="ISO8601", errors="coerce", utc=True).dt.tz_localize(None)
    digits = text.where(text.str.match(_DIGITS, na=False))
    found = found.fillna(pd.to_datetime(digits, format="%Y%m%d", errors="coerce")).dt.as_unit("s")
    rest = text[found.isna() & text.notna()]
    if rest.empty:
        return found
    unique = list(dict.fromkeys(rest))
    order = order or _order_of(unique, where)
    read = {value: _read(value, order, serials_from) for value in unique}
    return found.fillna(pd.to_datetime(rest.map(read)).dt.as_unit("s"))


def _order_of(values: list[str], where: str) -> DateOrder:
    """What every value of the column allows."""
    day_first = month_first = doubtful = False
    for value in values:
        if parts := _NUMBERS.fullmatch(value):
            first, second = int(parts["first"]), int(parts["second_part"])
            day_first |= first > 12 >= second
            month_first |= second > 12 >= first
            doubtful |= first <= 12 and second <= 12 and first != second
    if day_first and month_first:
        raise InputError(f"in {where}, some dates have the day first and some the month; say which with --date-order")
    if doubtful and not day_first and not month_first:
        raise InputError(
            f"in {where}, no date shows whether the day or the month comes first; say which with --date-order"
        )
    return "month-first" if month_first else "day-first"


def _read(value: str, order: DateOrder, serials_from: datetime | None) -> datetime | None:
    for pattern in (_YEAR_FIRST, _STAMP):
        if parts := pattern.fullmatch(value):
            return _stamp(parts, int(parts["month"]), int(parts["day"]))
    if parts := _NUMBERS.fullmatch(value):
        numbers = int(parts["first"]), int(parts["second_part"])
        day, month = numbers if order == "day-first" else numbers[::-1]
        return _stamp(parts, month, day)
    for pattern in (_DAY_AND_NAME, _NAME_AND_DAY):
        parts = pattern.fullmatch(value)
        if parts and parts["name"][:3].lower() in _MONTHS:
            return _stamp(parts, _MONTHS.index(parts["name"][:3].lower()) + 1, int(parts["day"]))
    if serials_from is not None and _SERIAL.fullmatch(value):
        return serials_from + timedelta(seconds=round(float(value) * 86400))
    return None


def _stamp(parts: re.Match[str], month: int, day: int) -> datetime | None:
    year = int(parts["year"])
    if len(parts["year"]) == 2:
        year += 2000 if year <= _OLDEST_OF_THIS_CENTURY else 1900
    named = parts.groupdict()
    hour = int(named.get("hour") or 0)
    half = (named.get("half") or "")[:1].lower()
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    try:
        return datetime(year, month, day, hour, int(named.get("minute") or 0), int(named.get("second") or 0))
    except ValueError:
        return None
