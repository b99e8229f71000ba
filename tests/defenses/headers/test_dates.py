from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.defenses.headers.dates import NotMovable, age_between, capped_age, moved

WEEK = dt.timedelta(days=7)


def back(day: dt.date) -> dt.date:
    return day - WEEK


@pytest.mark.parametrize(
    ("value", "vr", "after"),
    [
        ("20200105", "DA", "20191229"),
        ("2020.01.05", "DA", "20191229"),
        ("20200105 ", "DA", "20191229"),
        ("", "DA", ""),
        ("20200105103000.123456+0100", "DT", "20191229103000.123456+0100"),
        ("20200105-0500", "DT", "20191229-0500"),
        ("2020010510", "DT", "2019122910"),
        ("202001", "DT", "201912"),
        ("2020", "DT", "2019"),
        ("103000.5", "TM", "103000.5"),
        ("10:30:00", "TM", "10:30:00"),
        ("10", "TM", "10"),
        ("+0130", "SH", "+0130"),
    ],
)
def test_moved(value: str, vr: str, after: str) -> None:
    assert moved(value, vr, back) == after


@pytest.mark.parametrize(
    ("value", "vr"),
    [
        ("20200230", "DA"),
        ("2020-01-05", "DA"),
        ("20200101-20201231", "DA"),
        ("John", "DA"),
        ("00010101", "DA"),
        ("20201301", "DT"),
        ("20200105John", "DT"),
        ("John", "TM"),
        ("103000.1234567", "TM"),
        ("Berlin", "SH"),
        ("٢٠٢٠٠١٠٥x", "DA"),
    ],
)
def test_what_is_no_date_is_not_moved(value: str, vr: str) -> None:
    with pytest.raises(NotMovable):
        moved(value, vr, back)


@given(st.dates(dt.date(1000, 1, 1)), st.dates(dt.date(1000, 1, 1)), st.integers(1, 365))
def test_intervals_stay_exact(one: dt.date, other: dt.date, days: int) -> None:
    def after(day: dt.date) -> dt.date:
        text = moved(day.strftime("%Y%m%d"), "DA", lambda old: old - dt.timedelta(days=days))
        return dt.date(int(text[:4]), int(text[4:6]), int(text[6:]))

    assert after(one) - after(other) == one - other
    assert one - after(one) == dt.timedelta(days=days)


@pytest.mark.parametrize(
    ("age", "after"),
    [
        ("045Y", "045Y"),
        ("089Y", "089Y"),
        ("090Y", "090Y"),
        ("091Y", "090Y"),
        ("104Y", "090Y"),
        ("999D", "999D"),
        ("45", None),
        ("45Y", "45Y"),
        ("95Y", "090Y"),
        ("1045Y", None),
    ],
)
def test_ages_over_89_are_capped(age: str, after: str | None) -> None:
    assert capped_age(age) == after


@pytest.mark.parametrize(
    ("born", "taken", "age"),
    [
        ((1970, 5, 2), (2020, 5, 1), "049Y"),
        ((1970, 5, 2), (2020, 5, 2), "050Y"),
        ((1920, 1, 1), (2020, 5, 2), "090Y"),
        ((2020, 1, 1), (2019, 5, 2), None),
    ],
)
def test_age_from_the_birth_date(born: tuple[int, int, int], taken: tuple[int, int, int], age: str | None) -> None:
    assert age_between(dt.date(*born), dt.date(*taken)) == age
