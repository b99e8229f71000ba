from __future__ import annotations

from medveil.defenses.reports.whole_numbers import whole_numbers
from medveil.person.identifiers import Category
from medveil.person.span import Span


def test_pieces_that_touch_are_one_number_of_the_longest_piece_s_kind() -> None:
    text = "UDI (01)00643169(21)RNB4"
    pieces = [
        Span(5, 7, Category.PHONE),
        Span(7, 16, Category.DEVICE_SERIAL),
        Span(16, 19, Category.PHONE),
        Span(20, 24, Category.OTHER_ID),
    ]
    assert whole_numbers(text, pieces) == [Span(5, 24, Category.DEVICE_SERIAL)]


def test_numbers_apart_and_other_kinds_stay_apart() -> None:
    text = "RA 096063 Long-77"
    apart = [
        Span(0, 2, Category.ACCESSION),
        Span(3, 9, Category.ACCESSION),
        Span(10, 14, Category.NAME),
        Span(15, 17, Category.OTHER_ID),
    ]
    assert whole_numbers(text, apart) == apart
