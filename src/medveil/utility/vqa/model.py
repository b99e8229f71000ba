"""`AnswerModel`: what answers a question on an image. `models.loading` gets one by name, folder or address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from medveil.utility.vqa.question import Image


@dataclass(frozen=True)
class Query:
    """Without an image it is the control "question alone"."""

    image: Image | None = field(repr=False)
    question: str = field(repr=False)
    note: str | None = field(default=None, repr=False)


class AnswerModel(Protocol):
    """Greedy and reproducible: the same query has the same answer, alone or among others, today and tomorrow.

    `fingerprint` stands for weights and settings: kept answers belong to it.
    """

    name: str
    license: str
    fingerprint: str

    def answer(self, image: Image | None, question: str, note: str | None = None) -> str: ...

    def answer_many(self, queries: Sequence[Query]) -> list[str]: ...


def one_by_one(model: AnswerModel, queries: Sequence[Query]) -> list[str]:
    """For models that gain nothing from a batch."""
    return [model.answer(query.image, query.question, query.note) for query in queries]


def prompt(question: str, note: str | None) -> str:
    """Question and note as one text; the note first, for it is context."""
    return f"{note.strip()}\n\n{question.strip()}" if note and note.strip() else question.strip()
