from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from medveil.person.identifiers import Category
from medveil.person.normalised import words_of
from medveil.person.search.name_index import NameIndex, shouted

INDEX = NameIndex(
    [
        (Category.NAME, "Pemberton^John^Michael"),
        (Category.DOCTOR, "O'Brien^Siobhán"),
        (Category.DOCTOR, "Long^May"),
        (Category.NAME, "van der Berg^Ana-Lucia"),
    ]
)
PIECES = [
    *(
        "Pemberton",
        "pembertom",
        "Qemberton",
        "PEM",
        "ber",
        "ton",
        "berton",
        "johnpemberton",
        "XPembertonY",
        "O",
        "brien",
        "obrien",
        "Brien",
        "May",
    ),
    *(
        "long",
        "longer",
        "van",
        "der",
        "berg",
        "vander",
        "Ana",
        "lucia",
        "Lucja",
        "ana",
        "the",
        "lung",
        "12",
        "é",
        "jmp",
    ),
]
GAPS = [" ", "-", "'", "’", "", ", ", ". ", "\n"]
TEXTS = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(GAPS)), max_size=12)


@given(TEXTS)
@example([("P", " "), ("emb", " "), ("erton", "")])
def test_no_hit_is_passed_over(pieces: list[tuple[str, str]]) -> None:
    text = "".join(word + gap for word, gap in pieces)
    words = words_of(text)
    found = INDEX.hits(text, words, False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NameIndex, "_worth_a_look", lambda index, text, words: range(len(words)))
        assert INDEX.hits(text, words, False) == found


def test_few_words_are_looked_at_closely() -> None:
    text = "There is no pleural effusion or pneumothorax, and Pemberton's heart is of normal size."
    words = words_of(text)
    looked_at = [words[at].written for at in INDEX._worth_a_look(text, words)]
    assert "Pemberton" in looked_at
    assert len(looked_at) < len(words) / 2


@pytest.mark.parametrize(("text", "loud"), [("LUNGS CLEAR", True), ("LUNGS clear", False), ("", False), ("ÄÖÜ", False)])
def test_capitals_throughout(text: str, loud: bool) -> None:
    assert shouted(text) is loud
