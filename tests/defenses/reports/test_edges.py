"""Titles, relations, degrees and small words stay outside of what is replaced; half a name never does."""

from __future__ import annotations

import pytest

from medveil.defenses.reports.edges import narrowed
from medveil.defenses.reports.rules.page import Page
from medveil.person.identifiers import Category
from medveil.person.span import Span


def _left(text: str, *marked: tuple[str, Category]) -> list[str]:
    spans = [Span(text.index(part), text.index(part) + len(part), kind) for part, kind in marked]
    return [text[one.start : one.end] for one in narrowed(Page(text), spans)]


@pytest.mark.parametrize(
    ("text", "found", "kind", "left"),
    [
        ("seen: Mrs. Featherly today", "Mrs. Featherly", Category.NAME, "Featherly"),
        ("his wife Moira came", "wife Moira", Category.NAME, "Moira"),
        ("signed Priya Long MD", "Priya Long MD", Category.DOCTOR, "Priya Long"),
        ("her son Ángel left on it", "Ángel left", Category.NAME, "Ángel"),
        ("due on the twelfth of May", "the twelfth of May", Category.DATE, "twelfth of May"),
        ("read 03:14 CST there", "03:14 CST", Category.TIME, "03:14"),
        ("at 6 in the morning", "6 in the morning", Category.TIME, "6"),
        ("lives in County Kerry now", "County Kerry", Category.ADDRESS, "Kerry"),
        ("sent to the Larkfield", "the Larkfield", Category.HOSPITAL, "Larkfield"),
    ],
)
def test_what_only_comes_along_stays(text: str, found: str, kind: Category, left: str) -> None:
    assert _left(text, (found, kind)) == [left]


@pytest.mark.parametrize(
    ("text", "found", "kind"),
    [
        ("PORTO Laís | MR623626", "PORTO Laís", Category.NAME),
        ("RAI Kiaan was seen", "RAI Kiaan", Category.NAME),
        ("Bishop Frost was seen", "Bishop Frost", Category.NAME),  # a given name too
        ("by Rufino de la Cruz today", "Rufino de la Cruz", Category.DOCTOR),
        ("Dr. Thi Mai VUONG read", "Thi Mai VUONG", Category.DOCTOR),
        ("called at 1107hrs", "1107hrs", Category.TIME),
        ("told Mrs", "Mrs", Category.NAME),  # something must be left
    ],
)
def test_a_name_stays_whole(text: str, found: str, kind: Category) -> None:
    assert _left(text, (found, kind)) == [found]


def test_a_small_word_between_two_pieces_of_a_name_goes_with_it() -> None:
    text = "Builders of Putnam came"
    kept = _left(text, ("Builders of", Category.HOSPITAL), ("Putnam", Category.ADDRESS))
    assert kept == ["Builders of", "Putnam"]
    assert (
        _left("on May 3 mister garforth", ("May 3", Category.DATE), ("mister garforth", Category.NAME))[1] == "garforth"
    )
