from __future__ import annotations

import pytest

from medveil.defenses.reports.rules.page import Page
from medveil.defenses.reports.whole_spans import completed, trimmed, whole_numbers
from medveil.person.identifiers import Category
from medveil.person.span import Span


@pytest.mark.parametrize(
    ("text", "seen", "whole", "category"),
    [
        (
            "sent to Bayou Home Health of Terrebonne today",
            "Bayou",
            "Bayou Home Health of Terrebonne",
            Category.HOSPITAL,
        ),
        ("seen at Long & Short House, well", "Short", "Long & Short House", Category.HOSPITAL),
        ("told Anneke Zbrozek-Long so", "Zbrozek", "Anneke Zbrozek-Long", Category.NAME),
        ("asked K Zbrozek to come", "Zbrozek", "K Zbrozek", Category.DOCTOR),
        ("flat in Sector 14, near", "14", "Sector 14", Category.ADDRESS),
        ("N510 NCH Page 1/1", "NCH", "NCH", Category.HOSPITAL),
        ("at Lahey CT was done", "Lahey", "Lahey", Category.HOSPITAL),
        ("told Zbrozek, MD Clear lungs", "Zbrozek", "Zbrozek", Category.DOCTOR),
        ("seen. Stable Zbrozek left", "Zbrozek", "Zbrozek", Category.NAME),
        ("SEEN AT LAHEY NORMAL CHEST NOW", "LAHEY", "LAHEY", Category.HOSPITAL),
        ('told Wiktor "Wik" Zbrozek so', "Zbrozek", 'Wiktor "Wik" Zbrozek', Category.NAME),
        ("PID|Le^Quang^^^Mr||", "Le", "Le^Quang^^^Mr", Category.NAME),
        ("told Sureshan a/l Zbrozek so", "Sureshan", "Sureshan a/l Zbrozek", Category.DOCTOR),
        ("seen by Pieter van der Zbrozek today", "Pieter", "Pieter van der Zbrozek", Category.DOCTOR),
        ("for Nurul bt. Zbrozekin today", "Nurul", "Nurul bt. Zbrozekin", Category.NAME),
        ("seen by Zbrozek. Garza came", "Zbrozek", "Zbrozek", Category.NAME),
        ("told Zbrozek/Garza of it", "Zbrozek", "Zbrozek", Category.NAME),
        (
            "pt anneke zbrozek qarlow came to the ward and said it is well",
            "zbrozek",
            "anneke zbrozek qarlow",
            Category.NAME,
        ),
        ("Baby Girl Zbrozek born", "Zbrozek", "Baby Girl Zbrozek", Category.NAME),
        ("DISCUSSED WITH ANNEKE ZBROZEK TODAY", "ZBROZEK", "ANNEKE ZBROZEK", Category.DOCTOR),
        ("from Lahey\nHistory of cough", "Lahey", "Lahey", Category.HOSPITAL),
        ("hauling; cab GA 7183H parked", "7183H", "GA 7183H", Category.VEHICLE),
        ("(GMS K 40 5512 B). You", "5512", "K 40 5512 B", Category.HEALTH_PLAN),
        ("MRN 445566 64 M, seen", "445566", "445566", Category.MRN),
        ("MRN 445566 12 mm nodule", "445566", "445566", Category.MRN),
        ("seen, MRN 4455", "4455", "4455", Category.MRN),
    ],
)
def test_a_name_grows_to_its_end_and_no_further(text: str, seen: str, whole: str, category: Category) -> None:
    start = text.index(seen)
    (one,) = completed(Page(text), [Span(start, start + len(seen), category)])
    assert text[one.start : one.end] == whole


def test_it_does_not_grow_into_another_finding() -> None:
    text = "from Lahey Oakhollow today"
    found = [Span(5, 10, Category.HOSPITAL), Span(11, 20, Category.ADDRESS)]
    assert completed(Page(text), found) == found


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


def test_space_and_punctuation_around_it_do_not_belong_to_it() -> None:
    assert trimmed("told Zbrozek, so", Span(4, 13, Category.NAME)) == Span(5, 12, Category.NAME)
    assert trimmed("told , so", Span(4, 7, Category.NAME)) is None


def test_the_word_hours_is_no_part_of_a_time() -> None:
    assert trimmed("at 0450 hours", Span(3, 13, Category.TIME)) == Span(3, 7, Category.TIME)
