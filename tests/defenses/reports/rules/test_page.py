"""A text as the rules read it."""

from __future__ import annotations

from medveil.defenses.reports.rules.page import Page


def test_words_that_stand_in_a_text() -> None:
    page = Page("Fax, phone; no FAX")
    assert [word.text for word in page.standing(frozenset({"fax", "tel"}))] == ["Fax", "FAX"]
    assert page.standing(frozenset({"tel"})) == []
