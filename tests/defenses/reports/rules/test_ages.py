"""A great age is read in full, in the words of four languages; any other number is none."""

from __future__ import annotations

import pytest

from medveil.defenses.reports.rules.ages import whole_age


@pytest.mark.parametrize(
    ("text", "seen", "whole"),
    [
        ("aged ninety four one two", "ninety", "ninety four"),
        ("a hundred and two, well", "hundred", "hundred and two"),
        ("de quatre-vingt-onze ans", "onze", "quatre-vingt-onze"),
        ("edad noventa y tres años", "noventa", "noventa y tres"),
        ("alter zweiundneunzig jahre", "zweiundneunzig", "zweiundneunzig"),
        ("a nonagenarian", "nonagenarian", "nonagenarian"),
        ("94-year-old", "94", "94"),
        ("from nursing facility ninety four female", "ninety four", "ninety four"),
        ("between eighty and ninety-five", "ninety-five", "ninety-five"),
        ("she is a hundred and lives alone", "hundred", "hundred"),
        ("nonante ans", "nonante", "nonante"),
    ],
)
def test_all_of_an_age_is_read(text: str, seen: str, whole: str) -> None:
    start = text.index(seen)
    place = whole_age(text, start, start + len(seen))
    assert place is not None
    assert text[slice(*place)] == whole


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("keppra five hundred b d", "hundred"),
        ("is eight hundred and forty as", "eight hundred and"),
        ("two hundred and ninety", "ninety"),
        ("four hundred and eighteen images", "four hundred"),
        ("one hundred and thirty", "one hundred"),
        ("âgé de quarante-huit ans", "quarante"),
        ("aged 87", "87"),
    ],
)
def test_another_number_is_no_great_age(text: str, seen: str) -> None:
    start = text.index(seen)
    assert whole_age(text, start, start + len(seen)) is None
