from __future__ import annotations

import numpy as np
import pytest

from medveil.defenses.anatomy.coded.codebook import Codebook, Questions, as_arrays, fit_questions, from_arrays
from medveil.defenses.anatomy.coded.semantics import FIELDS
from medveil.errors import SettingsError

NO_PAIRS = np.zeros((0, 2), np.intp)


@pytest.mark.parametrize("bits", [1, 2, 5, 8, 16])
def test_a_code_of_b_bits_is_an_integer_below_two_to_the_b(codebook: Codebook, bits: int) -> None:
    chance = np.random.default_rng(1)
    shown = np.concatenate([chance.random((300, len(FIELDS))), 1e6 * chance.standard_normal((300, len(FIELDS)))])
    shown[::7] = np.nan
    codes = [codebook.code(one.astype(np.float32), bool(k % 2), bits) for k, one in enumerate(shown)]
    assert all(isinstance(code, int) and 0 <= code < 2**bits for code in codes)
    meanings = {codebook.meaning(code, bits)[0].tobytes() for code in range(2 ** min(bits, 10))}
    assert len(meanings) <= 2**bits


def test_fewer_bits_are_the_beginning_of_more(codebook: Codebook) -> None:
    shown = np.random.default_rng(2).random((50, len(FIELDS)), np.float32)
    for one in shown:
        long = codebook.code(one, True, 16)
        assert [codebook.code(one, True, bits) for bits in range(1, 17)] == [long >> 16 - bits for bits in range(1, 17)]


def test_more_bits_leave_less_untold(codebook: Codebook) -> None:
    shown = np.random.default_rng(0).random((1500, len(FIELDS)), np.float32)  # those that the questions were fitted to
    left = [
        float(
            np.mean([((one - codebook.meaning(codebook.code(one, False, bits), bits)[0]) ** 2).sum() for one in shown])
        )
        for bits in (1, 3, 6, 9)
    ]
    assert left == sorted(left, reverse=True) and left[-1] < 0.9 * left[0]


def test_the_first_question_is_about_what_matters_most() -> None:
    shown = (np.random.default_rng(3).random((400, 3)) < 0.5).astype(np.float32)
    for matters in range(3):
        weights = np.where(np.arange(3) == matters, 5.0, 1.0).astype(np.float32)
        assert fit_questions(shown, weights, NO_PAIRS).field[0] == matters


def test_what_a_person_keeps_costs_more_than_what_changes() -> None:
    chance = np.random.default_rng(4)
    kept, changes = np.repeat(chance.random(200) < 0.5, 2), chance.random(400) < 0.5
    shown = np.stack([kept, changes], 1).astype(np.float32)
    pairs = np.arange(400).reshape(200, 2)
    weights = np.array([1.2, 1.0], np.float32)
    first = lambda **how: int(fit_questions(shown, weights, pairs, **how).field[0])  # noqa: E731
    assert first() == 0
    assert first(leakage=(5.0,) * 15) == 1
    assert first(leakage=(5.0,) * 15, free=2) == 0


def test_what_is_too_dear_at_first_may_be_asked_later() -> None:
    kept = np.repeat(np.random.default_rng(5).random(200) < 0.5, 2)
    shown, pairs = kept[:, None].astype(np.float32), np.arange(400).reshape(200, 2)
    questions = fit_questions(shown, np.ones(1, np.float32), pairs, leakage=(50.0, 50.0, 0.0, 0.0))
    paths = [[questions.path(one, bits) for one in (shown[~kept][0], shown[kept][0])] for bits in range(1, 5)]
    assert paths == [[0, 0], [0, 0], [0, 1], [0, 2]]
    assert fit_questions(shown, np.ones(1, np.float32), pairs, leakage=(50.0,) * 4).path(shown[kept][0], 4) == 0


def test_no_answer_is_left_with_few_films() -> None:
    shown = np.random.default_rng(6).random((200, 4), np.float32)
    questions = fit_questions(shown, np.ones(4, np.float32), NO_PAIRS, least=20)
    nodes = np.array([questions.node(questions.path(one, 15), 15) for one in shown])
    assert np.bincount(nodes)[np.unique(nodes)].min() >= 20


def test_a_codebook_comes_back_from_its_file(codebook: Codebook) -> None:
    again = from_arrays(FIELDS, as_arrays(codebook))
    shown = np.random.default_rng(7).random((20, len(FIELDS)), np.float32)
    assert [again.code(one, False, 12) for one in shown] == [codebook.code(one, False, 12) for one in shown]


def test_questions_in_a_circle_are_refused(codebook: Codebook) -> None:
    arrays = as_arrays(codebook)
    broken = {**arrays, "real.yes": np.zeros_like(arrays["real.yes"])}
    with pytest.raises(ValueError, match="tree"):
        from_arrays(FIELDS, broken)


def test_what_is_no_code_is_refused(codebook: Codebook) -> None:
    for code, bits in ((-1, 3), (8, 3), (0, 0), (0, 17)):
        with pytest.raises(SettingsError):
            codebook.meaning(code, bits)


def test_a_code_is_told_in_words() -> None:
    tree = Questions(
        np.array([1, -1, -1], np.int32),
        np.array([0.5, 0, 0], np.float32),
        np.array([1, 0, 0], np.int32),
        np.array([2, 0, 0], np.int32),
        np.zeros((3, 2), np.float32),
    )
    codebook = Codebook(("Edema", "Pneumonia"), tree, tree)
    assert codebook.told(0b01, 2) == ["a real film", "Pneumonia above 0.5"]
    assert codebook.told(0b100, 3) == ["a drawn film", "Pneumonia at most 0.5"]
