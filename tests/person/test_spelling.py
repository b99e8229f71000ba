from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from medveil.person.spelling import fold, words_of

WORD = re.compile(r"(?:[^\W_]|[\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufeff\ufffd])+")


@given(st.text(max_size=60))
@example("O'Brien_12  Zoe\u0301, a\u200bb \u200b ")
@example("\u0301")
def test_words_are_runs_of_letters_and_digits_in_their_places(text: str) -> None:
    runs = [(match.start(), match.end(), match[0], fold(match[0])) for match in WORD.finditer(text)]
    assert words_of(text) == [run for run in runs if run[3]]
