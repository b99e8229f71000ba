from __future__ import annotations

from medveil.defenses.reports.whole_numbers import whole_numbers
from medveil.person.identifiers import Category
from medveil.person.span import Found


def test_pieces_that_touch_are_one_number_of_the_longest_piece_s_kind() -> None:
    text = "UDI (01)00643169(21)RNB4"
    pieces = [
        Found(5, 7, Category.PHONE),
        Found(7, 16, Category.DEVICE_SERIAL),
        Found(16, 19, Category.PHONE),
        Found(20, 24, Category.OTHER_ID),
    ]
    assert whole_numbers(text, pieces) == [Found(5, 24, Category.DEVICE_SERIAL)]


def test_numbers_apart_and_other_kinds_stay_apart() -> None:
    text = "RA 096063 Long-77"
    apart = [
        Found(0, 2, Category.ACCESSION),
        Found(3, 9, Category.ACCESSION),
        Found(10, 14, Category.NAME),
        Found(15, 17, Category.OTHER_ID),
    ]
    assert whole_numbers(text, apart) == apart
