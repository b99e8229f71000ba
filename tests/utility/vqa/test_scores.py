"""What counts as right, by hand; and estimates by image."""

from __future__ import annotations

import numpy as np
import pytest

from medveil.utility.vqa.question import Question
from medveil.utility.vqa.scores import (
    DEFINITIONS,
    OVERLAP,
    SCORES,
    Scoring,
    definitions,
    guessed,
    overlap,
    relaxed,
    score_words,
    strict,
    token_f1,
    words,
)


def asked(image: str, answer: str, number: int = 0) -> Question:
    return Question.of(f"{image}-{number}", image, "What is seen?", answer)


@pytest.mark.parametrize(
    ("answer", "reference", "strictly", "roughly", "f1"),
    [
        ("Yes.", "yes", 1, 1, 1),
        ("The left lung", "left lung", 1, 1, 1),
        ("lung, left", "left lung", 0, 1, 1),
        ("no", "yes", 0, 0, 0),
        ("", "yes", 0, 0, 0),
        ("", "", 0, 0, 0),
        (":", ":", 0, 0, 0),
        (
            "pleural effusion",
            "no pleural effusion",
            0,
            1,
            0.8,
        ),  # 2 of 3 content words: the published rule is blind here
        ("effusion", "no effusion", 0, 0, 2 / 3),  # one half is not above one half
        ("there is an effusion in the lung", "effusion of the lung", 0, 1, 0.5),
        ("right lower lobe", "left lower lobe", 0, 0, 2 / 3),
        ("1.5 cm", "15 cm", 0, 0, 0.5),
        ("5", "5.0", 0, 0, 0),
        ("opacity opacity opacity", "opacity", 0, 1, 0.5),  # repeated words are no second hit
        ("ＣＨＥＳＴ", "chest", 1, 1, 1),
        ("is", "is", 1, 1, 1),
        ("是。", "yes", 1, 1, 1),  # as SLAKE's Chinese questions are answered
        ("不是", "yes", 0, 0, 0),
    ],
)
def test_scores_of_one_answer(answer: str, reference: str, strictly: float, roughly: float, f1: float) -> None:
    assert strict(answer, reference) == strictly
    assert relaxed(answer, reference) == roughly
    assert token_f1(answer, reference) == pytest.approx(f1)


def test_overlap_is_jaccards_index_of_content_words() -> None:
    assert overlap("opacity in the right lung", "right lung") == pytest.approx(2 / 3)
    assert overlap("of the", "is") == 0.0
    assert words("Patient's X-ray, 3.5 cm!") == ["patient's", "x", "ray", "3.5", "cm"]


def test_every_score_states_its_definition_and_its_threshold() -> None:
    assert set(DEFINITIONS) == set(SCORES)
    assert f"{OVERLAP:g}" in DEFINITIONS["relaxed"]
    told = definitions(["strict", "relaxed"])
    assert told.startswith("strict: 1 if") and "relaxed: " in told and told.endswith("to every question.")


def test_chance_is_the_most_frequent_answer_of_its_kind() -> None:
    questions = [asked("a", "yes"), asked("a", "Yes", 1), asked("b", "no"), asked("b", "lung", 1), asked("c", "Lung.")]
    assert guessed(questions) == ["yes", "yes", "yes", "lung", "lung"]
    found = Scoring(questions, seed=1).estimate(np.ones(5), "strict", "yes/no")
    assert found is not None and found.chance == pytest.approx(2 / 3)


def test_intervals_are_by_image_and_kinds_stand_apart() -> None:
    questions = [asked(f"i{n}", "yes" if m else "lung", m) for n in range(30) for m in range(4)]
    right = np.array([float(question.image_id < "i2") for question in questions])
    scoring = Scoring(questions, seed=3)
    everything, closed, opened = (scoring.estimate(right, "strict", group) for group in ("all", "yes/no", "open"))
    assert everything is not None and closed is not None and opened is not None
    assert (everything.n, everything.units, everything.unit) == (120, 30, "image")
    assert (closed.n, opened.n) == (90, 30)
    independent = np.sqrt(everything.value * (1 - everything.value) / 120)
    assert everything.sd > 1.8 * independent, "four questions on one image are right or wrong together"


def test_where_nothing_is_right_the_interval_is_not_certain() -> None:
    questions = [asked(f"i{n}", "yes") for n in range(12)]
    found = Scoring(questions, seed=3).estimate(np.zeros(12), "strict")
    assert found is not None and found.low == 0 and found.high > 0.2


def test_too_few_images_have_no_estimate() -> None:
    questions = [asked("a", "yes"), asked("a", "no", 1), asked("b", "lung")]
    scoring = Scoring(questions, seed=3)
    assert scoring.estimate(np.ones(3), "strict", "yes/no") is None
    assert scoring.estimate(np.ones(3), "strict") is not None
    assert scoring.estimate(np.array([1.0, np.nan, np.nan]), "strict") is None


def test_words_are_scored_in_the_order_of_the_questions() -> None:
    questions = [asked("a", "yes"), asked("b", "left lung")]
    found = score_words(["no", "the left lung"], questions)
    assert {name: values.tolist() for name, values in found.items()} == {
        "strict": [0, 1],
        "relaxed": [0, 1],
        "token F1": [0, 1],
    }
