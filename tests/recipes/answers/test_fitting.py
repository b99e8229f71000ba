"""What the answer model is taught, and that its fitted heads learn what depends on the image."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import torch

from medveil.utility.vqa.models.answers.network import LOOKS, ORGANS, AnswerNetwork
from medveil.utility.vqa.models.answers.words import numbered, rarity
from medveil.utility.vqa.question import CLOSED, Question, QuestionTable
from recipes.answers.augment import changed
from recipes.answers.body_parts import facts
from recipes.answers.film_questions import film_questions
from recipes.answers.fitting import (
    Lessons,
    agreement,
    fit_heads,
    fit_likeness,
    fit_look,
    fit_texts,
    known_questions,
    plain,
    vocabulary_of,
)
from recipes.findings.labels import FINDINGS, Labelled


def test_facts_do_not_contradict_one_another() -> None:
    told = Counter((text, organ) for text, _, organ in facts())
    assert set(told.values()) == {1} and {organ for _, organ in told} == set(ORGANS)
    assert ("Is this a CT?", "yes", "abdomen") in set(facts())
    assert not any(organ == "head" and text == "Is this a CT?" for text, _, organ in facts())


def test_films_are_asked_about_evenly() -> None:
    rng = np.random.default_rng(0)
    shows = rng.random((200, len(FINDINGS))) < 0.2
    told = Labelled([str(n) for n in range(200)], np.array([str(n) for n in range(200)]), shows)
    asked = film_questions(told, ["PA", "AP"] * 100, 4000, rng)
    answers: dict[str, Counter[str]] = defaultdict(Counter)
    for film, text, answer in asked:
        answers[text][answer] += 1
        if text == "Is there atelectasis?":
            assert (answer == "yes") == shows[film, FINDINGS.index("Atelectasis")]
        if text == "Is the heart size normal?":
            assert (answer == "no") == shows[film, FINDINGS.index("Cardiomegaly")]
    closed = sum((counts for counts in answers.values() if "yes" in counts or "no" in counts), Counter[str]())
    assert 0.45 < closed["yes"] / (closed["yes"] + closed["no"]) < 0.55


def toy() -> tuple[QuestionTable, dict[str, int]]:
    """The answer is in the image alone: yes for a chest, no for a head."""
    organ = {f"{number}": number % 2 for number in range(40)}
    questions = tuple(
        Question.of(f"{image} {text}", image, text, answers[place])
        for image, place in organ.items()
        for text, answers in {"Zyx quv?": ("yes", "no"), "Quv what abc?": ("lobe", "gyrus")}.items()
    )
    return QuestionTable("toy", questions, lambda image: np.zeros((2, 2), np.uint8)), organ


def fitted(table: QuestionTable, organ: dict[str, int]) -> tuple[AnswerNetwork, list[str], np.ndarray]:
    weights, words = rarity([question.text for question in table.questions]), vocabulary_of(table)
    lessons, agree = Lessons.of(table, organ, weights), agreement(words)
    network = AnswerNetwork(len(words), [0], *known_questions(lessons)).requires_grad_(False)
    network.rarity.copy_(torch.from_numpy(weights))
    fit_likeness(network, lessons, words, agree)
    network.general = fit_heads(lessons, words, agree)
    return network, words, weights


def test_fitted_parts_learn_what_depends_on_the_image() -> None:
    network, words, weights = fitted(*toy())
    asked = torch.from_numpy(numbered(["Zyx quv?", "Quv what abc?"], weights))
    for place, look in enumerate(("chest", "head")):
        shown = torch.eye(len(LOOKS))[[LOOKS.index(look)] * 2]
        with torch.no_grad():
            yes, scores = network.generally(asked, shown)
        assert (yes[0] > 0) == (place == 0) and words[int(scores[1].argmax())] == ("lobe", "gyrus")[place]
    with torch.no_grad():
        assert abs(network.generally(asked, None)[0][0].item()) < 0.1, "the question alone does not tell"


def test_without_images_the_answer_is_given_that_agrees_best() -> None:
    """More than half of the answers share words, so one of them scores best, though another is the most frequent."""
    told = {"xyz": 3, "t2 weighted": 2, "mri t2 weighted": 2, "yes": 2, "no": 1}
    texts = ["Is it quv?", "Which abc?"]
    questions = tuple(
        Question.of(f"{answer} {number}", "image", texts[answer not in CLOSED], answer)
        for answer, count in told.items()
        for number in range(count)
    )
    table = QuestionTable("toy", questions, lambda image: np.zeros((2, 2), np.uint8))
    network, words, weights = fitted(table, {"image": 0})
    with torch.no_grad():
        yes, scores = network.generally(torch.from_numpy(numbered(texts, weights)), None)
    assert yes[0] > 0 and "t2 weighted" in words[int(scores[1].argmax())]


def test_the_part_of_the_body_and_the_kind_of_question_are_told_apart() -> None:
    rng = np.random.default_rng(0)
    organ = np.repeat([0, 1, 2], 20)
    seen = (rng.normal(size=(60, 64, 128)) + organ[:, None, None] * 0.5).astype(np.float16)
    layer = fit_look(seen, organ)
    assert layer.weight.shape == (3, 256)
    weights = rarity(["left side", "which lobe"])
    kind = fit_texts(["is it left?", "is it right?"], ["which lobe", "what kind"], weights)
    with torch.no_grad():
        told = kind(torch.from_numpy(numbered(["is it up?", "which kind"], weights)))
    assert told[0] > 0 > told[1]


def test_answers_are_compared_without_case_and_points() -> None:
    assert plain(" Yes. ") == "yes" and plain("5.6cm focal, hypodense") == "5.6cm focal hypodense"


def test_a_changed_film_is_another_and_of_the_same_kind() -> None:
    film = np.tile(np.arange(256, dtype=np.uint8), (256, 1))
    other = changed(film, np.random.default_rng(0), strength=1.0)
    assert other.shape == film.shape and other.dtype == np.uint8 and not np.array_equal(other, film)
    assert other[:, :80].mean() < other[:, -80:].mean()  # not mirrored
