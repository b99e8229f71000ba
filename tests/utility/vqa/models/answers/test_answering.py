"""The bundled answer model: the same every time, better with the image, and sound on anything it is given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from medveil.errors import InputError
from medveil.utility.vqa.model import Query
from medveil.utility.vqa.models.answers.answering import (
    BundledAnswers,
    load_answer_network,
    load_bundled,
    save_answers,
)
from medveil.utility.vqa.models.answers.network import AnswerNetwork
from medveil.utility.vqa.models.loading import load_answers
from medveil.utility.vqa.questions.loading import read_questions
from medveil.utility.vqa.questions.phantom import phantom_questions
from medveil.weights.bundled import bundled, read_card


@pytest.fixture(scope="module")
def model() -> BundledAnswers:
    return load_bundled()


def test_it_is_the_model_that_answers_unasked(model: BundledAnswers) -> None:
    assert load_answers().fingerprint == model.fingerprint and model.name == "medveil-answers"
    assert bundled("answers").stat().st_size < 4e6
    assert read_card(bundled("answers"))["name"] == model.name


def test_it_tells_what_is_shown_on_films_it_never_saw(model: BundledAnswers) -> None:
    """Each wording has as many films for each answer: without the film half of the closed ones are right."""
    table = phantom_questions(40, seed=990).where(lambda question: question.closed and question.kind != "comparison")
    hits: dict[bool, list[bool]] = {True: [], False: []}
    for image, group in table.by_image().items():
        film = table.image(image)
        for question in group:
            hits[True].append(model.answer(film, question.text) == question.answer)
            hits[False].append(model.answer(None, question.text) == question.answer)
    right = {way: np.mean(found) for way, found in hits.items()}
    assert right[True] > 0.6 and right[True] > right[False] + 0.1


def test_an_answer_is_the_same_alone_and_among_others(model: BundledAnswers) -> None:
    table = phantom_questions(6, seed=991)
    queries = [Query(table.image(one.image_id), one.text) for one in table.questions[:10]]
    queries += [Query(None, "Is the heart enlarged?"), Query(np.stack([queries[0].image] * 3, -1), "What is this?")]
    together = model.answer_many(queries)
    fresh = load_answer_network(bundled("answers"))
    assert [fresh.answer(query.image, query.question) for query in reversed(queries)] == together[::-1]


@pytest.mark.parametrize("question", ["", "?", "心臓は大きいですか", "x" * 5000, "\x00\ud800"])
def test_any_question_has_an_answer(model: BundledAnswers, question: str) -> None:
    assert model.answer(np.zeros((5, 9), np.uint8), question)
    assert model.answer(None, question)


def test_a_model_is_saved_and_loaded(tmp_path: Path) -> None:
    torch.manual_seed(0)
    network = AnswerNetwork(3, [1, 2])
    save_answers(tmp_path / "one.safetensors", network, ["left", "right", "pa"])
    loaded = load_answer_network(tmp_path / "one.safetensors")
    assert loaded.answers == ("left", "right", "pa")
    assert loaded.answer(None, "Where?") in ("left", "right", "pa", "yes", "no")


def test_a_file_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "one.safetensors").write_bytes(b"nothing")
    with pytest.raises(InputError, match="not an answer model"):
        load_answer_network(tmp_path / "one.safetensors")
    with pytest.raises(InputError, match="not an answer model"):
        load_answer_network(bundled("findings"))


@pytest.mark.real_data
def test_it_knows_which_part_of_the_body_it_sees(model: BundledAnswers, real_data: Path) -> None:
    """On images it was trained on; those set aside are measured on its card."""
    table = read_questions(real_data / "vqa_rad").part("train")
    seen = [model.answer(table.image(image), "What organ system is shown?") for image in table.image_ids[:12]]
    assert len(set(seen)) > 1
