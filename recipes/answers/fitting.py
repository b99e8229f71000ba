"""The fitted parts of the answer model: ridge regression on the question, and on the question times what is shown.

With two hundred images of every kind, a network of the usual sort learns the images by heart: in cross-validation
over images it answers worse with an image than without. Ridge regression on the part of the body does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from medveil.utility.vqa.models.answers.network import (
    ORGANS,
    RANK,
    AnswerNetwork,
    FittedHeads,
    folded,
    pooled,
    products,
)
from medveil.utility.vqa.models.answers.words import numbered
from medveil.utility.vqa.question import CLOSED, QuestionTable
from medveil.utility.vqa.scores import relaxed
from recipes.answers.body_parts import facts

RIDGE, LIKENESS_RIDGE = 0.5, 0.6
OF_FACTS = 0.3  # what a fact counts beside a question that a physician asked
Floats = NDArray[np.float32]


def plain(answer: str) -> str:
    """As answers are compared: small letters, no punctuation."""
    return " ".join(re.sub(r"[^\w\s.%-]", " ", answer.lower()).strip(" .").split())


@dataclass(frozen=True)
class Lessons:
    """Questions, also as numbers, which part of the body their images show (n × organs), and what is right."""

    texts: list[str]
    asked: Floats
    shown: Floats
    answers: list[str]
    weights: Floats

    @classmethod
    def of(cls, questions: QuestionTable, organ: dict[str, int], weights: Floats) -> Lessons:
        told = [(question.text, plain(question.answer), organ[question.image_id]) for question in questions.questions]
        known = [(text, answer, ORGANS.index(name)) for text, answer, name in facts()]
        texts, answers, places = zip(*told, *known, strict=True)
        shown = np.eye(len(ORGANS), dtype=np.float32)[list(places)]
        counts = np.r_[np.ones(len(told)), np.full(len(known), OF_FACTS)].astype(np.float32)
        return cls(list(texts), numbered(texts, weights), shown, list(answers), counts)

    def part(self, keep: NDArray[np.bool_]) -> Lessons:
        texts, answers = (
            [one for one, kept in zip(every, keep, strict=True) if kept] for every in (self.texts, self.answers)
        )
        return Lessons(texts, self.asked[keep], self.shown[keep], answers, self.weights[keep])

    def closed(self) -> NDArray[np.bool_]:
        return np.array([answer in CLOSED for answer in self.answers])

    def asked_by_physicians(self) -> NDArray[np.bool_]:
        """Not facts: what follows from a part of the body is no lesson where no image is shown."""
        return self.weights == 1


def agreement(vocabulary: Sequence[str]) -> Floats:
    """How an answer (row) scores where another one (column) is right: the best answer is not always the likeliest."""
    return np.array([[relaxed(said, right) for right in vocabulary] for said in vocabulary], np.float32)


def fit_heads(lessons: Lessons, vocabulary: Sequence[str], agree: Floats) -> FittedHeads:
    """The open answers where an image is shown."""
    heads, of_open = FittedHeads(len(vocabulary)), lessons.part(~lessons.closed())
    few = replace(of_open, asked=folded(torch.from_numpy(of_open.asked)).numpy())
    left, strength, right_side = np.linalg.svd(_ridge(few, _one_of(of_open, vocabulary)), full_matrices=False)
    with torch.no_grad():
        root = np.sqrt(strength[:RANK])
        first, last = (layer.weight.zero_() for layer in heads.open)
        first[: len(root)] = torch.from_numpy((left[:, :RANK] * root).T)
        last[:, : len(root)] = torch.from_numpy(agree @ (root[:, None] * right_side[:RANK]).T)
    return heads


def known_questions(lessons: Lessons) -> tuple[list[str], int]:
    """Each wording once, the open ones that physicians asked first, and how many these are."""
    opens = sorted(set(lessons.part(lessons.asked_by_physicians() & ~lessons.closed()).texts))
    return opens + sorted(set(lessons.part(lessons.closed()).texts) - set(opens)), len(opens)


def fit_likeness(network: AnswerNetwork, lessons: Lessons, vocabulary: Sequence[str], agree: Floats) -> None:
    """What each of the network's known questions says: in every case, and for each part of the body."""
    heads, place = network.by_likeness, {text: row for row, text in enumerate(network.known)}
    alone, closed = lessons.part(lessons.asked_by_physicians()), lessons.closed()
    open_alone, closed_alone = alone.part(~alone.closed()), alone.part(alone.closed())
    with torch.no_grad():
        rows = torch.tensor([place[text] for text in open_alone.texts])
        says = _says(open_alone, _one_of(open_alone, vocabulary), None) @ agree.T
        heads.open.zero_().index_add_(0, rows, torch.from_numpy(says))
        for number, (some, into) in enumerate(((closed_alone, heads.yes), (lessons.part(closed), heads.yes_shown))):
            right = np.array([1.0 if answer == "yes" else -1.0 for answer in some.answers], np.float32)
            heads.usual[number] = usual = float(np.average(right, weights=some.weights))
            says = _says(some, (right - usual)[:, None], some.shown if number else None)
            if number:
                says = says * np.c_[np.ones(len(says), np.float32), some.shown]
            rows = torch.tensor([place[text] for text in some.texts])
            into.zero_().index_add_(0, rows, torch.from_numpy(says if number else says[:, 0]))
    network.remember()


def _one_of(lessons: Lessons, vocabulary: Sequence[str]) -> Floats:
    places = {answer: place for place, answer in enumerate(vocabulary)}
    one_of = np.zeros((len(lessons.answers), len(vocabulary)), np.float32)
    one_of[np.arange(len(one_of)), [places[answer] for answer in lessons.answers]] = 1
    return one_of


def _says(lessons: Lessons, right: Floats, shown: Floats | None) -> Floats:
    """Questions are alike as far as their words are, squared, and twice as much on the same part of the body."""
    alike = (lessons.asked @ lessons.asked.T) ** 2
    if shown is not None:
        alike = alike * (1 + shown @ shown.T)
    return np.asarray(np.linalg.solve(alike + np.diag(LIKENESS_RIDGE / lessons.weights), right), np.float32)


def _ridge(lessons: Lessons, right: Floats) -> Floats:
    """The weights, by way of the questions: there are fewer of them than of buckets."""
    both = products(torch.from_numpy(lessons.asked), torch.from_numpy(lessons.shown)).numpy()
    among = both @ both.T + np.diag(RIDGE / lessons.weights)
    return np.asarray(both.T @ np.linalg.solve(among, right), np.float32)


def fit_look(seen: Floats, look: NDArray[np.intp]) -> torch.nn.Linear:
    """Which of the looks maps have."""
    found = pooled(torch.from_numpy(seen.astype(np.float32))).numpy()
    mean, spread = found.mean(0), found.std(0) + 1e-6
    fitted = LogisticRegression(C=0.003, max_iter=300).fit((found - mean) / spread, look)
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
    told |= {(text, answer in CLOSED) for text, answer, _ in facts()} | set(film)
    return fit_texts(
        *([text for text, is_closed in sorted(told) if is_closed == one] for one in (True, False)), weights
    )


def vocabulary_of(questions: QuestionTable, more: Sequence[str] = ()) -> list[str]:
    """The open answers."""
    told = [plain(question.answer) for question in questions.questions] + [answer for _, answer, _ in facts()]
    return sorted({*told, *more} - set(CLOSED))
