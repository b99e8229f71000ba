from __future__ import annotations

import datetime as dt
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.person import written_dates
from medveil.person.written_dates import dates_after_letters, dates_in, moved, order_of, readings


def BACK(day: dt.date) -> dt.date:
    return day - dt.timedelta(days=100)


WHOLE = "%Y-%m-%d|%Y/%m/%d|%m/%d/%Y|%m-%d-%Y|%d.%m.%Y|%Y%m%d|%B %d, %Y|%d %b %Y|%d-%b-%Y|%A, %B %d, %Y|%A %d %B %Y"


@given(st.dates(dt.date(1905, 1, 1), dt.date(2099, 12, 31)), st.integers(1, 365), st.sampled_from(WHOLE.split("|")))
def test_whole_dates_move_exactly_and_keep_their_format(day: dt.date, days: int, form: str) -> None:
    written = day.strftime(form)
    made = moved(written, lambda one: one - dt.timedelta(days=days), {day}, None)
    assert made is not None
    text = made if "%b %d" not in form and "%B %d" not in form and "%d %" not in form and "%d-%b" not in form else ""
    if text:
        assert text == (day - dt.timedelta(days=days)).strftime(form)
    # a day under ten may lose its zero beside a month's name, and "May" is long and short at once
    assert any(
        dt.datetime.strptime(made, other).date() == day - dt.timedelta(days=days)
        for other in (form, form.replace("%b", "%B"), form.replace("%B", "%b"))
        if _parses(made, other)
    )


def _parses(text: str, form: str) -> bool:
    try:
        dt.datetime.strptime(text, form)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("3/14/2024", "12/5/2023"),
        ("03/14/24", "12/05/23"),
        ("14/03/2024", "05/12/2023"),
        ("Mar 14th", "Dec 5th"),
        ("14th of March, 2024", "5th of December, 2023"),
        ("MARCH 14 2024", "DECEMBER 5 2023"),
        ("March\n14, 2024", "December\n5, 2023"),
        ("3/14", "12/5"),
        ("the 14th", "the 5th"),
        ("March 2024", "December 2023"),
        ("03/2024", "12/2023"),
        ("2024", "2024"),
        ("240314", "231205"),
        ("Thursday, March 14, 2024", "Tuesday, December 5, 2023"),
        ("Feb 30, 2024", None),
        ("31/31/2024", None),
        ("yesterday", None),
    ],
)
def test_examples(written: str, expected: str | None) -> None:
    assert moved(written, BACK, set(), dt.date(2024, 3, 20)) == expected


def test_a_known_date_settles_which_number_is_the_month() -> None:
    assert moved("03/04/2024", BACK, set(), None) == "11/25/2023"
    assert moved("03/04/2024", BACK, {dt.date(2024, 4, 3)}, None) == "25/12/2023"


@given(st.text(max_size=40))
def test_any_text_is_a_date_or_none(text: str) -> None:
    moved(text, BACK, set(), None)


@pytest.mark.parametrize("clock", ["15:58", "10 am", "10 p.m.", "1830 hrs"])
def test_an_hour_is_no_year(clock: str) -> None:
    for written in ("July 1", "1 July"):
        found = [(start, end) for start, end, _ in dates_in(f"{written} {clock} seen")]
        assert found == [(0, 6)]
        assert readings(f"{written} {clock}") == []
    assert [end for _, end, _ in dates_in("July 1 2015 15:58")] == [11]


PARTS = [
    *("1", "12", "31", "45", "2019", "20190307", "070319"),
    *("Mar", "may", "sept", "of", "the", "3rd", "nd", "Mon", "x"),
]
GAPS = ["", " ", "-", "/", ".", ", ", ":", "  ", "\n"]


@given(st.lists(st.tuples(st.sampled_from(PARTS), st.sampled_from(GAPS)), max_size=8))
def test_no_date_is_passed_over(pieces: list[tuple[str, str]]) -> None:
    """Numbers are looked at more closely only where one of the forms can follow; the same is found in all."""
    text = "".join(part + gap for part, gap in pieces)
    found = [*dates_in(text)], [*dates_after_letters(text)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(written_dates, "_GOES_ON", re.compile(r"\d"))
        assert ([*dates_in(text)], [*dates_after_letters(text)]) == found


def test_what_begins_inside_a_date_is_none_and_tells_no_order() -> None:
    assert order_of(["Performed 11 Apr 23, verified 11/4/23"]) == "day-first"
    assert order_of(["Performed Apr 11, 2023, verified 4/11/23"]) == "month-first"
