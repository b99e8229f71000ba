"""A form that takes long to search for is searched for only where a short part of it stands: no match is without."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.defenses.reports.rules import contacts
from medveil.defenses.reports.rules.page import Page

SEARCHED = {"network card": (contacts._MAC, contacts._IN_MAC)}
TELEPHONES = (contacts._AMERICAN, contacts._INTERNATIONAL, contacts._NATIONAL, contacts._FRENCH, contacts._LOCAL)


@pytest.mark.parametrize("name", SEARCHED)
@given(data=st.data())
def test_what_is_searched_for_has_its_part(name: str, data: st.DataObject) -> None:
    form, part = SEARCHED[name]
    text = data.draw(st.from_regex(form))
    assert form.search(text) is None or part.search(text)


@given(st.sampled_from(TELEPHONES).flatmap(st.from_regex))
def test_telephone_numbers_begin_as_they_must(text: str) -> None:
    for form in TELEPHONES:
        if match := form.search(text):
            assert contacts._BEGINS_NUMBER.match(text, match.start())


def test_words_that_stand_in_a_text() -> None:
    page = Page("Fax, phone; no FAX")
    assert [word.text for word in page.standing(frozenset({"fax", "tel"}))] == ["Fax", "FAX"]
    assert page.standing(frozenset({"tel"})) == []
