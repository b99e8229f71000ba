"""Another answerer without images, no part of the model: what a question alone tells must not be set too low.

It compares a question with those it has learned by the square of their likeness, so that pairs of words count, and
answers as ridge regression on that has it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from medveil.utility.vqa.models.answers.words import numbered
from medveil.utility.vqa.question import CLOSED, QuestionTable
from recipes.answers.fitting import Floats, agreement, plain

RIDGE = 1.0


class Rival:
    def __init__(self, questions: QuestionTable, weights: Floats) -> None:
        self._weights = weights
        told = [(question.text, plain(question.answer)) for question in questions.questions]
        parts = [[one for one in told if (one[1] in CLOSED) == closed] for closed in (True, False)]
        (self._closed, yes_or_no), (self._open, answers) = (
            (numbered([text for text, _ in part], weights), [answer for _, answer in part]) for part in parts
        )
        right = np.array([1.0 if answer == "yes" else -1.0 for answer in yes_or_no], np.float32)
        self._usual = right.mean()
        self._yes = _solved(self._closed, (right - self._usual)[:, None])
        self._answers = sorted(set(answers))
        one_of = np.array(answers)[:, None] == np.array(self._answers)
        self._scores = _solved(self._open, one_of.astype(np.float32)) @ agreement(self._answers).T

    def answers(self, texts: Sequence[str], closed: Sequence[bool]) -> list[str]:
        """`closed` says which are to be answered with yes or no."""
        asked = numbered(texts, self._weights)
        yes = (asked @ self._closed.T) ** 2 @ self._yes + self._usual
        best = ((asked @ self._open.T) ** 2 @ self._scores).argmax(1)
        return [
            ("yes" if one > 0 else "no") if is_closed else self._answers[place]
            for is_closed, one, place in zip(closed, yes[:, 0], best, strict=True)
        ]


def _solved(known: Floats, right: Floats) -> Floats:
    alike = (known @ known.T) ** 2
    return np.asarray(np.linalg.solve(alike + RIDGE * np.eye(len(alike), dtype=np.float32), right), np.float32)
