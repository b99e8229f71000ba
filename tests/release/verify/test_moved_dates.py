from __future__ import annotations

import datetime as dt

from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.person import Known, Person
from medveil.release.verify.moved_dates import without_moved_dates

KEYS = Keys(b"\x07" * 32)
SHIFT = Person(KEYS, "1").shift
FIRST = dt.date(2018, 10, 18)
SECOND = FIRST + SHIFT  # moves onto the first


def remaining(*known: Known) -> set[Known]:
    return set(without_moved_dates(Person(KEYS, "1", known)))


def test_a_date_another_was_moved_onto_stands_there_rightly_as_a_number_too() -> None:
    first, second = (Known(Category.DATE, f"{day:%Y%m%d}") for day in (FIRST, SECOND))
    as_number = Known(Category.OTHER_ID, first.value)
    assert remaining(first, second, as_number) == {second}


def test_nothing_else_is_forgiven() -> None:
    date, number = Known(Category.DATE, "20181018"), Known(Category.OTHER_ID, "20181018")
    record = Known(Category.MRN, "20181018")
    assert remaining(date, number, record) == {date, number, record}
    assert record in remaining(date, record, Known(Category.DATE, f"{SECOND:%Y%m%d}"))
