import random

import pytest

from medveil.defenses.reports.tagger.network import CATEGORIES
from medveil.person.identifiers import Category
from medveil.person.span import Span
from recipes.tagger.corpus.generator import Document, as_document, changed, cut, document
from recipes.tagger.corpus.grammar import parsed, render, text_of
from recipes.tagger.corpus.noise import disturbed


def test_the_same_number_gives_the_same_text():
    assert [document(number) for number in range(30)] == [document(number) for number in range(30)]
    assert len({document(number).text for number in range(200)}) > 190


def test_identifiers_lie_in_order_inside_the_text_and_hold_something():
    for number in range(400):
        made = document(number)
        end = 0
        for one in made.found:
            assert end <= one.start < one.end <= len(made.text)
            assert made.text[one.start : one.end].strip() == made.text[one.start : one.end]
            end = one.end


def test_every_kind_of_identifier_turns_up_and_many_texts_have_none():
    made = [document(number) for number in range(1500)]
    assert {one.category for text in made for one in text.found} == set(CATEGORIES)
    assert sum(not text.found for text in made) > 150


def test_noise_keeps_the_answer_key():
    """Whatever happens to the letters, the marked pieces are the same ones."""
    pieces = [
        ("Seen by Dr. ", None),
        ("Anna O'Neil", Category.DOCTOR),
        (" on ", None),
        ("3/4", Category.DATE),
        (".", None),
    ]
    for seed in range(300):
        made = as_document(disturbed(pieces, random.Random(seed), ["quiet"]))
        assert [one.category for one in made.found] == [Category.DOCTOR, Category.DATE]
        assert made.text[made.found[0].start].lower() == "a"
        assert made.text[made.found[1].end - 1] in "4"


def test_another_text_is_cut_at_its_identifiers():
    text = Document("Dr. Bo saw Al.", (Span(4, 6, Category.DOCTOR), Span(11, 13, Category.NAME)))
    assert as_document(cut(text)) == text
    kinds = [tuple(dict.fromkeys(one.category for one in changed(text, number).found)) for number in range(20)]
    assert set(kinds) <= {(), (Category.DOCTOR,), (Category.NAME,), (Category.DOCTOR, Category.NAME)}
    assert kinds.count((Category.DOCTOR, Category.NAME)) > 10
    assert len({changed(text, number).text for number in range(20)}) > 5


def test_templates_choose_and_fill():
    drawn = {
        text_of(render("[a|b[c|d]]{x}", random.Random(seed), lambda name: [(name.upper(), None)])) for seed in range(60)
    }
    assert drawn == {"aX", "bcX", "bdX"}
    with pytest.raises((ValueError, IndexError)):
        parsed("a[b")
