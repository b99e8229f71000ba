"""The fitted parts of the answer model: ridge regression on the question, and on the question and what is shown.

With two hundred images of every kind, a network of the usual sort learns the images by heart: in cross-validation
over images it answers worse with an image than without. Ridge regression on a few things that are shown does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from medveil.utility.vqa.models.answers.network import LOOKS, ORGANS, SHOWN, AnswerNetwork, ByWhatIsShown, pooled
from medveil.utility.vqa.models.answers.words import numbered
from medveil.utility.vqa.question import CLOSED, QuestionTable
from medveil.utility.vqa.scores import relaxed
from recipes.answers import body_parts, sequences

RIDGE, LIKENESS_RIDGE, OPEN_RIDGE = 0.5, 0.6, 0.5
OF_IMAGE = ("modality", "plane", "organ")  # questions about the image itself
FACTS = (*body_parts.facts(), *sequences.facts())
Floats = NDArray[np.float32]


def plain(answer: str) -> str:
    """As answers are compared: small letters, no punctuation."""
    return " ".join(re.sub(r"[^\w\s.%-]", " ", answer.lower()).strip(" .").split())


@dataclass(frozen=True)
class Lessons:
    """Questions, also as numbers, what their images show (n × SHOWN), and what is right."""

    texts: list[str]
    asked: Floats
    shown: Floats
    answers: list[str]

    @classmethod
    def of(cls, told: Sequence[tuple[str, str, Floats]], weights: Floats) -> Lessons:
        texts, answers, shown = zip(*told, strict=True)
        return cls(list(texts), numbered(texts, weights), np.stack(shown), list(answers))

    def part(self, keep: NDArray[np.bool_]) -> Lessons:
        texts, answers = (
            [one for one, kept in zip(every, keep, strict=True) if kept] for every in (self.texts, self.answers)
        )
        return Lessons(texts, self.asked[keep], self.shown[keep], answers)

    def closed(self) -> Lessons:
        return self.part(np.array([answer in CLOSED for answer in self.answers]))

    def opened(self) -> Lessons:
        return self.part(np.array([answer not in CLOSED for answer in self.answers]))


def shows(*names: str) -> Floats:
    return np.array([name in names for name in SHOWN], np.float32)


def shown_on(organ: dict[str, int]) -> dict[str, Floats]:
    """What each image shows: a part of the body and, of a head, how it was taken."""
    return {image: shows(ORGANS[place], sequences.SEQUENCE_OF.get(image, "")) for image, place in organ.items()}


def asked_by_physicians(questions: QuestionTable, shown: dict[str, Floats], weights: Floats) -> Lessons:
    return Lessons.of([(one.text, plain(one.answer), shown[one.image_id]) for one in questions.questions], weights)


def about_the_image(questions: QuestionTable, shown: dict[str, Floats], weights: Floats) -> Lessons:
    """What physicians asked about the image itself, and facts."""
    told = [(one.text, plain(one.answer), shown[one.image_id]) for one in questions.questions if one.kind in OF_IMAGE]
    known = [(text, answer, shows("head", name) if name not in ORGANS else shows(name)) for text, answer, name in FACTS]
    return Lessons.of([*told, *known], weights)


def agreement(vocabulary: Sequence[str]) -> Floats:
    """How an answer (row) scores where another one (column) is right: the best answer is not always the likeliest."""
    return np.array([[relaxed(said, right) for right in vocabulary] for said in vocabulary], np.float32).reshape(
        len(vocabulary), len(vocabulary)
    )


def general_network(
    questions: QuestionTable,
    organ: dict[str, int],
    weights: Floats,
    vocabulary: Sequence[str],
    film_answers: Sequence[int] = (0,),
) -> AnswerNetwork:
    """With its general part fitted. Open questions of physicians are known first, then every other wording, once."""
    shown = shown_on(organ)
    by_words, by_image = (teach(questions, shown, weights) for teach in (asked_by_physicians, about_the_image))
    opens = sorted(set(by_words.opened().texts))
    known = opens + sorted({*by_words.texts, *by_image.texts} - set(opens))
    image_answers = [vocabulary.index(answer) for answer in sorted(set(by_image.opened().answers))]
    lessons = len(by_image.closed().texts), len(by_image.opened().texts)
    network = AnswerNetwork(len(vocabulary), film_answers, image_answers, known, len(opens), lessons)
    network.requires_grad_(False).rarity.copy_(torch.from_numpy(weights))
    fit_by_words(network, by_words, vocabulary)
    fit_by_image(network, by_image, vocabulary)
    network.is_of_image = fit_of_image(questions, weights)
    return network


def fit_by_words(network: AnswerNetwork, lessons: Lessons, vocabulary: Sequence[str]) -> None:
    """What each of the network's known questions says, whatever the image shows."""
    heads, place = network.by_likeness, {text: row for row, text in enumerate(network.known)}
    closed, opened = lessons.closed(), lessons.opened()
    says = _dual(opened, _one_of(opened, vocabulary), LIKENESS_RIDGE) @ agreement(vocabulary).T
    right, usual = _yes_or_no(closed)
    with torch.no_grad():
        rows = torch.tensor([place[text] for text in opened.texts], dtype=torch.long)
        heads.open.zero_().index_add_(0, rows, torch.from_numpy(says))
        rows = torch.tensor([place[text] for text in closed.texts], dtype=torch.long)
        heads.yes.zero_().index_add_(0, rows, torch.from_numpy(_dual(closed, right, LIKENESS_RIDGE)[:, 0]))
        heads.usual.fill_(usual)
    network.remember()


def fit_by_image(network: AnswerNetwork, lessons: Lessons, vocabulary: Sequence[str]) -> None:
    """What questions about the image itself say, for what it shows."""
    place = {text: row for row, text in enumerate(network.known)}
    closed, opened = lessons.closed(), lessons.opened()
    answers = [vocabulary[int(one)] for one in network.image_answers]
    right, usual = _yes_or_no(closed)
    says_open = _dual(opened, _one_of(opened, answers), OPEN_RIDGE, by_image=True) @ agreement(answers).T
    _teach(network.yes_of_image, closed, place, _dual(closed, right, LIKENESS_RIDGE, by_image=True), usual)
    _teach(network.open_of_image, opened, place, says_open, 0.0)


def _teach(part: ByWhatIsShown, lessons: Lessons, place: dict[str, int], says: Floats, usual: float) -> None:
    with torch.no_grad():
        part.known.copy_(torch.tensor([place[text] for text in lessons.texts], dtype=torch.long))
        part.shown.copy_(torch.from_numpy(lessons.shown))
        part.says.copy_(torch.from_numpy(says))
        part.usual.fill_(usual)


def _yes_or_no(lessons: Lessons) -> tuple[Floats, float]:
    """1 and -1 less the mean, and the mean."""
    right = np.array([1.0 if answer == "yes" else -1.0 for answer in lessons.answers], np.float32)
    usual = float(right.mean()) if len(right) else 0.0
    return (right - usual)[:, None], usual


def _one_of(lessons: Lessons, vocabulary: Sequence[str]) -> Floats:
    places = {answer: place for place, answer in enumerate(vocabulary)}
    one_of = np.zeros((len(lessons.answers), len(vocabulary)), np.float32)
    one_of[np.arange(len(one_of)), [places[answer] for answer in lessons.answers]] = 1
    return one_of


def _dual(lessons: Lessons, right: Floats, ridge: float, *, by_image: bool = False) -> Floats:
    """What each lesson says. Questions are alike as far as their words are, squared, and more on images that show
    the same."""
    alike = (lessons.asked @ lessons.asked.T) ** 2
    if by_image:
        alike *= 1 + lessons.shown @ lessons.shown.T
    alike[np.diag_indices(len(alike))] += ridge
    return np.asarray(np.linalg.solve(alike, right), np.float32)


def looks_on(images: Sequence[str], organ: dict[str, int]) -> list[int]:
    """Which of the looks an image of VQA-RAD has."""
    return [LOOKS.index(sequences.SEQUENCE_OF.get(image, ORGANS[organ[image]])) for image in images]


def fit_look(seen: Floats, look: NDArray[np.intp]) -> torch.nn.Linear:
    """Which of the looks maps have."""
    found = pooled(torch.from_numpy(seen.astype(np.float32))).numpy()
    mean, spread = found.mean(0), found.std(0) + 1e-6
    fitted = LogisticRegression(C=0.03, max_iter=300).fit((found - mean) / spread, look)
    weight = fitted.coef_ / spread
    return _layer(weight, fitted.intercept_ - weight @ mean)


def _layer(weight: NDArray[np.float64], bias: NDArray[np.float64]) -> torch.nn.Linear:
    layer = torch.nn.Linear(weight.shape[1], len(weight))
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(weight))
        layer.bias.copy_(torch.from_numpy(bias))
    return layer


def fit_texts(yes: Sequence[str], no: Sequence[str], weights: Floats) -> torch.nn.Linear:
    """What tells two kinds of questions apart, 1 and -1; each kind counts the same."""
    asked = numbered([*yes, *no], weights)
    right = np.r_[np.ones(len(yes)), -np.ones(len(no))].astype(np.float32)
    counts = np.r_[np.full(len(yes), 1 / len(yes)), np.full(len(no), 1 / len(no))] * (len(right) / 2)
    counted = asked * counts[:, None].astype(np.float32)
    found = np.linalg.solve(asked.T @ counted + RIDGE * np.eye(asked.shape[1], dtype=np.float32), counted.T @ right)
    return _layer(found[None], np.zeros(1))


def fit_closed(questions: QuestionTable, film: Sequence[tuple[str, bool]], weights: Floats) -> torch.nn.Linear:
    """What tells questions to be answered with yes or no; `film` are those of the film network."""
    told = {(question.text, question.closed) for question in questions.questions}
    return _told_apart(told | {(text, answer in CLOSED) for text, answer, _ in FACTS} | set(film), weights)


def fit_of_image(questions: QuestionTable, weights: Floats) -> torch.nn.Linear:
    """What tells questions about the image itself."""
    return _told_apart({(question.text, question.kind in OF_IMAGE) for question in questions.questions}, weights)


def _told_apart(told: set[tuple[str, bool]], weights: Floats) -> torch.nn.Linear:
    return fit_texts(*([text for text, is_one in sorted(told) if is_one == one] for one in (True, False)), weights)


def vocabulary_of(questions: QuestionTable, more: Sequence[str] = ()) -> list[str]:
    """The open answers."""
    told = [plain(question.answer) for question in questions.questions] + [answer for _, answer, _ in FACTS]
    return sorted({*told, *more} - set(CLOSED))
