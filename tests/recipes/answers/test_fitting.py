"""What the answer model is taught, and that its fitted heads learn what depends on the image."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import torch

from medveil.utility.vqa.models.answers.network import LOOKS, ORGANS, SEQUENCES, SHOWN, AnswerNetwork
from medveil.utility.vqa.models.answers.words import numbered, rarity
from medveil.utility.vqa.question import CLOSED, Question, QuestionTable
from recipes.answers import body_parts, sequences
from recipes.answers.augment import changed
from recipes.answers.choosing import _groups
from recipes.answers.film_questions import film_questions
from recipes.answers.fitting import (
    FACTS,
    fit_look,
    fit_texts,
    general_network,
    looks_on,
    plain,
    shows,
    vocabulary_of,
)
from recipes.findings.labels import FINDINGS, Labelled


def test_facts_do_not_contradict_one_another() -> None:
    told = Counter((text, shown) for text, _, shown in FACTS)
    assert set(told.values()) == {1} and {shown for _, shown in told} == set(SHOWN)
    assert ("Is this a CT?", "yes", "abdomen") in set(FACTS)
    assert not any(shown == "head" and text == "Is this a CT?" for text, _, shown in FACTS)
    assert ("Is this a CT scan?", "yes", "CT") in set(FACTS) and ("Is this a CT scan?", "no", "FLAIR") in set(FACTS)


def test_what_is_right_for_heads_is_right_for_some_sequence() -> None:
    heads = {text: answer for text, answer, shown in body_parts.facts() if shown == "head" and answer in CLOSED}
    told = {(text, answer) for text, answer, _ in sequences.facts()}
    both = {text: answer for text, answer in heads.items() if text in {text for text, _ in told}}
    assert len(both) > 5 and set(both.items()) <= told


def test_an_image_is_of_one_sequence_alone() -> None:
    numbers = [number for told in sequences._IMAGES.values() for number in told.split()]
    assert set(sequences._IMAGES) == set(SEQUENCES) and len(numbers) == len(set(numbers)) == len(sequences.SEQUENCE_OF)
    organ = {"synpic42951.jpg": ORGANS.index("head"), "film": ORGANS.index("chest")}
    assert [LOOKS[look] for look in looks_on(list(organ), organ)] == ["CT", "chest"]


def test_images_of_neighbouring_numbers_are_set_aside_together() -> None:
    group = _groups(["synpic100.jpg", "synpic7.jpg", "synpic103.jpg", "synpic104.jpg", "synpic11.jpg"])
    assert group["synpic100.jpg"] == group["synpic103.jpg"] == group["synpic104.jpg"]
    assert len({group["synpic7.jpg"], group["synpic11.jpg"], group["synpic100.jpg"]}) == 3


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
        Question.of(f"{image} {text}", image, text, answers[place], kind=kind)
        for image, place in organ.items()
        for text, answers, kind in (
            ("Zyx quv?", ("yes", "no"), "plane"),
            ("Quv what abc?", ("lobe", "gyrus"), "organ"),
            ("Fgh?", ("yes", "no"), "presence"),
        )
    )
    return QuestionTable("toy", questions, lambda image: np.zeros((2, 2), np.uint8)), organ


def fitted(table: QuestionTable, organ: dict[str, int]) -> tuple[AnswerNetwork, list[str], np.ndarray]:
    weights, words = rarity([question.text for question in table.questions]), vocabulary_of(table)
    return general_network(table, organ, weights, words), words, weights


def test_fitted_parts_learn_what_depends_on_the_image() -> None:
    network, words, weights = fitted(*toy())
    asked = torch.from_numpy(numbered(["Zyx quv?", "Quv what abc?", "Fgh?"], weights))
    alone = network.generally(asked, None)[0]
    for place, look in enumerate(("chest", "T1")):
        shown = torch.eye(len(LOOKS))[[LOOKS.index(look)] * 3]
        yes, scores = network.generally(asked, shown)
        assert (yes[0] > 0) == (place == 0) and words[int(scores[1].argmax())] == ("lobe", "gyrus")[place]
        assert yes[2] == alone[2], "this is no question about the image itself"
    assert abs(alone[0].item()) < 0.1, "the question alone does not tell"


def test_facts_are_learned_for_what_is_shown() -> None:
    network, words, weights = fitted(*toy())
    asked = torch.from_numpy(numbered(["What imaging modality is this?", "Is this a CT scan?"], weights))
    network.is_of_image.requires_grad_(False).weight.zero_()
    network.is_of_image.bias.fill_(1)
    told = {"chest": ("x-ray", "no"), "abdomen": ("ct", "yes"), "CT": ("ct", "yes"), "FLAIR": ("mri-flair", "no")}
    for look, (kind, is_ct) in told.items():
        yes, scores = network.generally(asked, torch.eye(len(LOOKS))[[LOOKS.index(look)] * 2])
        assert words[int(scores[0].argmax())].replace("chest ", "") == kind and (yes[1] > 0) == (is_ct == "yes"), look
    assert shows("head", "CT").tolist() == [float(name in ("head", "CT")) for name in SHOWN]


def test_without_images_the_answer_is_given_that_agrees_best() -> None:
    """More than half of the answers share words, so one of them scores best, though another is the most frequent."""
    told = {"xyz": 3, "t2 weighted": 2, "mri t2 weighted": 2, "yes": 2, "no": 1}
    texts = ["Is it quv?", "Which abc?"]
    questions = tuple(
        Question.of(f"{answer} {number}", "image", texts[opened], answer, kind="other" if opened else "plane")
        for answer, count in told.items()
        for opened in (answer not in CLOSED,)
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
