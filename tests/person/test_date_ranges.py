from __future__ import annotations

import datetime as dt

import pytest

from medveil.person.date_ranges import moved_range


def BACK(day: dt.date) -> dt.date:
    return day - dt.timedelta(days=100)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("March 3-5, 2021", "November 23-25, 2020"),
        ("Mar 3 - 5", "Nov 23 - 25"),
        ("8th to 22nd July", "30th March to 13th April"),
        ("the 3rd to 9th of April 2020", "the 25th to 31st of December 2019"),
        ("April 9-12, 2021", "December 30, 2020-January 2, 2021"),
        ("3. bis 5. März 2021", "23. bis 25. November 2020"),
        ("1967-71", "1967-71"),
        ("2019 to 2021", "2019 to 2021"),
        ("mid-August", "early May"),
        ("early March 2021", "late November 2020"),
        ("End of June, 2021", "Mid-March, 2021"),
        ("spring 2019", "winter 2019"),
        ("Summer of 2020", "Spring of 2020"),
        ("Q3 2021", "Q2 2021"),
        ("Q1/2021", "Q4/2020"),
        ("March 9-5", None),
        ("3-5 cm", None),
        ("1971-67", None),
    ],
)
def test_examples(written: str, expected: str | None) -> None:
    assert moved_range(written, BACK, dt.date(2021, 8, 1)) == expected


def test_years_move_where_the_shift_is_long_enough() -> None:
    assert moved_range("1967-71", lambda day: day - dt.timedelta(days=300), None) == "1966-70"
