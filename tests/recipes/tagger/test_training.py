from medveil.defenses.reports.tagger.decoding import spans
from medveil.defenses.reports.tagger.network import CATEGORIES, NONE
from medveil.defenses.reports.tagger.tokens import tokenise
from medveil.person.identifiers import Category
from medveil.person.span import Span
from recipes.tagger.training import targets

TEXT = "Seen by Dr. Anna O'Neil\nSmith, pager p5512."


def _found(*parts):
    return [Span(TEXT.index(text), TEXT.index(text) + len(text), category) for text, category in parts]


def test_labelled_text_comes_back_exactly():
    found = _found(("Anna O'Neil", Category.DOCTOR), ("Smith", Category.DOCTOR), ("5512", Category.PHONE))
    tokens = tokenise(TEXT)
    assert spans(tokens, *targets(tokens, found)) == found


def test_a_piece_inside_a_token_marks_the_token():
    tokens = tokenise("xSmithx ok")
    classes, begins = targets(tokens, [Span(1, 6, Category.NAME)])
    assert classes.tolist() == [CATEGORIES.index(Category.NAME), NONE]
    assert begins.tolist() == [True, False]


def test_nothing_is_found_in_nothing():
    tokens = tokenise("")
    assert spans(tokens, *targets(tokens, [])) == []
