"""The scorer's weights follow what is right and what is wrong among the proposals."""

from __future__ import annotations

import numpy as np
import pytest

from medveil.defenses.reports.scoring.evidence import NAMES
from medveil.defenses.reports.scoring.scorer import GROUP_NAMES
from medveil.person.identifiers import Category
from medveil.person.span import Span
from recipes.scorer.card import _score
from recipes.scorer.fitting import Proposals, _count, _is_right, fit
from recipes.scorer.material import Text

TEXT = Text("seen by Zbrozek on 3/14", (Span(8, 15, Category.DOCTOR), Span(19, 23, Category.DATE)), "notes", 1.0)


def proposals(right: list[bool]) -> Proposals:
    """Those with an eponym are wrong."""
    rows = np.zeros((len(right), len(NAMES)), np.float32)
    rows[:, 0] = 1
    rows[:, NAMES.index("eponym")] = [not own for own in right]
    every = [rows] * len(GROUP_NAMES)
    count = len(right)
    groups = np.repeat(np.arange(len(GROUP_NAMES)), count)
    return Proposals(np.concatenate(every), groups, np.tile(right, len(every)), np.ones(len(groups)), groups)


def test_what_is_wrong_weighs_against() -> None:
    scorer = fit(proposals([True, True, False, False] * 10), np.ones(40 * len(GROUP_NAMES), bool), 0.4)
    assert (scorer.weights[:, NAMES.index("eponym")] < -1).all()
    assert scorer.least == 0.4


def test_nothing_is_fitted_where_all_are_alike() -> None:
    with pytest.raises(ValueError, match="fit on more texts"):
        fit(proposals([True] * 4), np.ones(4 * len(GROUP_NAMES), bool), 0.4)


def test_half_of_the_letters_make_it_right() -> None:
    assert _is_right(TEXT, Span(5, 15, Category.NAME))
    assert not _is_right(TEXT, Span(0, 9, Category.NAME))
    assert not _is_right(TEXT, Span(4, 5, Category.NAME))


def test_hits_and_words_are_counted() -> None:
    row = dict.fromkeys(("hits", "missed", "kept", "lost"), 0)
    _count(row, TEXT, [Span(5, 15, Category.NAME), Span(19, 20, Category.DATE)])
    assert row == {"hits": 1, "missed": 1, "kept": 2, "lost": 1}
    assert _score(row) == {"recall": 0.5, "identifiers": 2, "other words kept": 0.66667, "words": 3}
