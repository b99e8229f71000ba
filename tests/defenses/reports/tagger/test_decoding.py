import numpy as np
import pytest

from medveil.defenses.reports.tagger.decoding import decide, plausible, spans, suspected
from medveil.defenses.reports.tagger.network import CATEGORIES, NONE
from medveil.defenses.reports.tagger.tokens import tokenise
from medveil.person.identifiers import Category
from medveil.person.span import Span


def _probabilities(*none):
    """So sure of each token that it identifies nobody; the rest is for class 3."""
    probabilities = np.zeros((len(none), NONE + 1), np.float32)
    probabilities[:, NONE], probabilities[:, 3] = none, 1 - np.array(none)
    return probabilities


def test_a_token_goes_free_if_that_is_sure_enough():
    assert decide(_probabilities(0.995, 0.85, 0.999), 0.9).tolist() == [NONE, 3, NONE]


def test_beside_an_identifier_more_is_asked():
    assert decide(_probabilities(0.97, 0.97, 0.2, 0.97, 0.99, 0.97), 0.9).tolist() == [3, 3, 3, 3, NONE, NONE]


def test_doubt_alone_catches_nothing():
    assert decide(_probabilities(0.95, 0.95, 0.95), 0.9).tolist() == [NONE] * 3


def test_nothing_is_decided_of_nothing():
    assert decide(_probabilities(), 0.9).tolist() == []


@pytest.mark.parametrize(
    ("text", "category", "expected"),
    [
        ("no", Category.URL, False),
        ("www.example.org", Category.URL, True),
        ("a@b", Category.EMAIL, True),
        ("x-ray", Category.PHONE, False),
        ("x5512", Category.PHONE, True),
        ("no", Category.INITIALS, False),
        ("NO", Category.INITIALS, True),
        ("jd", Category.INITIALS, True),
        ("an", Category.NAME, True),
        ("--", Category.NAME, False),
        ("Q.", Category.MRN, True),
    ],
)
def test_only_what_cannot_be_is_refused(text, category, expected):
    assert plausible(tokenise(text).words, category) is expected


def test_neighbours_of_one_kind_stay_apart_where_one_begins():
    tokens = tokenise("Anna Berta")
    name = CATEGORIES.index(Category.NAME)
    both = np.array([name, name])
    assert len(spans(tokens, both, np.array([True, True]))) == 2
    assert spans(tokens, both, np.array([True, False])) == [Span(0, 10, Category.NAME)]


def test_signs_alone_are_no_piece():
    tokens = tokenise("a - b")
    name = CATEGORIES.index(Category.NAME)
    assert spans(tokens, np.array([NONE, name, NONE]), np.array([False] * 3)) == []
    assert spans(tokens, np.array([NONE, name, name]), np.array([False] * 3)) == [Span(2, 5, Category.NAME)]


def test_what_went_free_with_some_doubt_is_suspected() -> None:
    probabilities = np.zeros((3, NONE + 1), np.float32)
    probabilities[:, NONE] = [0.1, 0.9, 0.99]
    probabilities[:, CATEGORIES.index(Category.DATE)] = [0.9, 0.1, 0.01]
    classes = decide(probabilities, 0.6)
    assert classes.tolist() == [CATEGORIES.index(Category.DATE), CATEGORIES.index(Category.DATE), NONE]
    alone = decide(probabilities[1:], 0.6)
    assert suspected(probabilities[1:], alone).tolist() == [CATEGORIES.index(Category.DATE), NONE]
