from __future__ import annotations

import numpy as np

from medveil.utility.vqa.models.answers.words import BUCKETS, numbered, rarity

TEXTS = ["Is the heart enlarged?", "Is the heart large?", "Which side is the effusion on?", "Is there an effusion?"]


def test_questions_are_of_length_one_and_alike_where_they_share_words() -> None:
    found = numbered([*TEXTS, "Is the heart enlargd?"], rarity(TEXTS))
    assert found.shape == (5, BUCKETS)
    alike = found @ found.T
    assert np.allclose(np.diag(alike), 1, atol=0.1)
    assert alike[0, 1] > alike[0, 3] and alike[0, 4] > alike[0, 1] and alike[2, 3] > alike[0, 2]


def test_order_matters_and_case_does_not() -> None:
    weights = rarity(TEXTS)
    one, other, loud = numbered(["left or right", "right or left", "LEFT or Right"], weights)
    assert not np.allclose(one, other) and np.array_equal(one, loud)


def test_what_has_no_words_is_nothing() -> None:
    assert not numbered(["", "???", "心臓"], rarity(TEXTS)).any()


def test_rare_parts_count_more() -> None:
    weights = rarity(TEXTS)
    assert weights.min() < weights.max() and np.isfinite(weights).all()
