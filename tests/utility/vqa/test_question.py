from __future__ import annotations

import numpy as np
import pytest

from medveil.errors import InputError
from medveil.utility.vqa.question import Question, QuestionTable


def table() -> QuestionTable:
    questions = (
        Question.of("1", "b", "Is  it? ", " Yes."),
        Question.of("2", "a", "Left or right?", "left", kind="side"),
        Question.of("3", "b", "Where?", "lung"),
    )
    shades = {"a": 1, "b": 2}
    return QuestionTable(
        "few", questions, lambda name: np.full((2, 2), shades[name], np.uint8), {"a": "train", "b": "val"}
    )


def test_a_question_is_closed_if_yes_or_no_is_right() -> None:
    assert [question.closed for question in table().questions] == [True, False, False]
    assert table().questions[0].text == "Is it?"


def test_questions_are_grouped_and_dealt_out_by_image() -> None:
    few = table()
    assert few.image_ids == ("b", "a")
    assert {image: [q.question_id for q in group] for image, group in few.by_image().items()} == {
        "b": ["1", "3"],
        "a": ["2"],
    }
    assert len(few.part("val")) == 2 and len(few.part("train", "val")) == 3
    with pytest.raises(InputError, match="no questions in the split test"):
        few.part("test")


def test_images_are_loaded_when_asked_for_and_can_be_replaced() -> None:
    assert table().image("b").max() == 2
    assert table().with_images(lambda name: np.zeros((2, 2), np.uint8)).image("b").max() == 0


def test_ids_are_unique() -> None:
    question = Question.of("1", "a", "Is it?", "no")
    with pytest.raises(InputError, match="share ids"):
        QuestionTable("few", (question, question), lambda name: np.zeros((2, 2), np.uint8))


def test_ids_are_not_shown() -> None:
    assert "Left" not in repr(table())
