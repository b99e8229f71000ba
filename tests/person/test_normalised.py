from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from medveil.person.identifiers import Category
from medveil.person.normalised import NormalisedText, fold, words_of
from medveil.person.span import Span

WORD = re.compile(r"(?:[^\W_]|[\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufeff\ufffd])+")


@given(st.text(max_size=60))
@example("O'Brien_12  Zoe\u0301, a\u200bb \u200b ")
@example("\u0301")
def test_words_are_runs_of_letters_and_digits_in_their_places(text: str) -> None:
    runs = [(match.start(), match.end(), match[0], fold(match[0])) for match in WORD.finditer(text)]
    assert words_of(text) == [run for run in runs if run[3]]


@given(st.text(), st.data())
def test_places_in_the_original_hold_what_is_seen(text: str, data: st.DataObject) -> None:
    view = NormalisedText.of(text)
    start = data.draw(st.integers(0, len(view.text)))
    end = data.draw(st.integers(start, len(view.text)))
    (place,) = view.in_original([Span(start, end, Category.NAME)])
    assert NormalisedText.of(text[place.start : place.end]).text == view.text[start:end]


@given(st.text(st.characters(codec="latin-1")))
def test_composed_letters_are_seen_as_they_are(text: str) -> None:
    assert NormalisedText.of(text).text == text.replace("\xa0", " ").replace("\xad", "")
