import numpy as np

from medveil.defenses.reports.tagger.network import CATEGORIES, NONE
from medveil.defenses.reports.tagger.spans import marked_sure, spans, targets
from medveil.defenses.reports.tagger.splitting import split
from medveil.defenses.reports.tagger.sure_found import SureFound
from medveil.person.identifiers import Category
from medveil.person.span import Span

TEXT = "Seen by Dr. Anna O'Neil\nSmith, pager p5512."


def _found(*parts):
    return [Span(TEXT.index(text), TEXT.index(text) + len(text), category) for text, category in parts]


def test_labelled_text_comes_back_exactly():
    found = _found(("Anna O'Neil", Category.DOCTOR), ("Smith", Category.DOCTOR), ("5512", Category.PHONE))
    tokens = split(TEXT)
    assert spans(tokens, *targets(tokens, found)) == found


def test_neighbours_of_one_kind_stay_apart_where_one_begins():
    tokens = split("Anna Berta")
    name = CATEGORIES.index(Category.NAME)
    both = np.array([name, name])
    assert len(spans(tokens, both, np.array([True, True]))) == 2
    assert spans(tokens, both, np.array([True, False])) == [Span(0, 10, Category.NAME)]


def test_a_piece_inside_a_token_marks_the_token():
    tokens = split("xSmithx ok")
    classes, begins = targets(tokens, [Span(1, 6, Category.NAME)])
    assert classes.tolist() == [CATEGORIES.index(Category.NAME), NONE]
    assert begins.tolist() == [True, False]


def test_nothing_is_found_in_nothing():
    tokens = split("")
    assert spans(tokens, *targets(tokens, [])) == []


def test_signs_alone_are_no_piece():
    tokens = split("a - b")
    name = CATEGORIES.index(Category.NAME)
    assert spans(tokens, np.array([NONE, name, NONE]), np.array([False] * 3)) == []
    assert spans(tokens, np.array([NONE, name, name]), np.array([False] * 3)) == [Span(2, 5, Category.NAME)]


def test_pieces_without_doubt_are_marked() -> None:
    tokens = split("Long saw Short")
    found = [Span(0, 4, Category.NAME), Span(9, 14, Category.NAME)]
    said = marked_sure(tokens, found, np.array([0.001, 0.9, 0.3], np.float32))
    assert [type(one) for one in said] == [SureFound, Span]
    assert [(one.start, one.end) for one in said] == [(0, 4), (9, 14)]
