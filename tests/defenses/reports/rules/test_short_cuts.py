"""A form that takes long to search for is searched for only where a short part of it stands: no match is without."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.defenses.reports.rules import addresses, codes, contacts, dates, initials
from medveil.defenses.reports.rules.page import Page

SEARCHED = {
    "British code": (addresses._BRITISH, addresses._IN_BRITISH),
    "Canadian code": (addresses._CANADIAN, addresses._IN_CANADIAN),
    "German street": (addresses._GERMAN_NAMED, addresses._GERMAN_TOWN),
    "code and town": (addresses._CODE_AND_TOWN, addresses._IN_CODE_AND_TOWN),
    "network card": (contacts._MAC, contacts._IN_MAC),
    "person's number": (codes._DOTTED, codes._IN_DOTTED),
    "room": (codes._ROOM, codes._IN_ROOM),
    "ordinal": (dates.ORDINAL_DAY, dates._ORDINAL),
    "wet read": (initials._WET_READ, re.compile("|".join(initials._DAYS))),
}
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


@given(st.text(alphabet="a1-_. é²", max_size=80), st.integers(0, 79))
def test_a_code_ends_where_its_letters_do(text: str, place: int) -> None:
    text = text[:place] + "7" + text[place:]
    digit = text.index("7")
    start, end = codes._code_around(text, digit)
    assert all(sign.isalnum() or sign in "-_" for sign in text[start:end])
    assert not text[end : end + 1].isalnum() or end - digit == codes._LONGEST
    assert not text[start - 1 : start].isalnum() or digit - start == codes._LONGEST
