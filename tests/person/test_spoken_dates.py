from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.person.spoken_dates import moved_spoken, spoken_readings


def BACK(day: dt.date) -> dt.date:
    return day - dt.timedelta(days=100)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("the third of December two thousand nineteen", "the twenty-fifth of August two thousand nineteen"),
        ("december third twenty nineteen", "august twenty-fifth twenty nineteen"),
        ("march fourteen twenty twenty one", "december four twenty twenty"),
        ("the twenty first of march", "the eleventh of december"),
        ("April ninth, nineteen eighty four", "December thirty-first, nineteen eighty three"),
        ("february ninth two thousand", "november first nineteen ninety nine"),
        ("tuesday the third of december 2019", "sunday the twenty-fifth of august 2019"),
        ("the fourteenth", "the sixth"),
        ("march two thousand and nine", "december two thousand and eight"),
        ("february thirtieth", None),
        ("the third rib", None),
        ("twenty one", None),
        ("March 2021", None),
    ],
)
def test_examples(said: str, expected: str | None) -> None:
    assert moved_spoken(said, BACK, (), dt.date(2021, 6, 20)) == expected


@given(st.dates(dt.date(1910, 1, 1), dt.date(2059, 12, 31)), st.integers(7, 365))
def test_what_is_said_again_reads_as_the_moved_day(day: dt.date, days: int) -> None:
    said = moved_spoken("the third of december two thousand nineteen", lambda _: day, (), None)
    assert said is not None and spoken_readings(said)[0].whole == day
    moved = moved_spoken(said, lambda one: one - dt.timedelta(days=days), (), None)
    assert moved is not None and spoken_readings(moved)[0].whole == day - dt.timedelta(days=days)
