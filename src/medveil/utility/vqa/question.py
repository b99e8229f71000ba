"""`Question`: what is asked of an image and what is right. `QuestionTable`: many, and where their images lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from medveil.errors import InputError

Image = NDArray[np.uint8]  # rows × columns, or rows × columns × 3 where there is colour
CLOSED = ("yes", "no")


@dataclass(frozen=True)
class Question:
    """`closed`: the right answer is yes or no. `kind` is what is asked after, such as modality, presence, side."""

    question_id: str
    image_id: str
    text: str
    answer: str
    closed: bool
    kind: str = "other"
    language: str = "en"

    @classmethod
    def of(
        cls, question_id: str, image_id: str, text: str, answer: str, *, kind: str = "other", language: str = "en"
    ) -> Question:
        """Whether it is closed follows from its answer: data sets call "left or right?" closed too."""
        text, answer = " ".join(text.split()), " ".join(answer.split())
        return cls(question_id, image_id, text, answer, answer.lower().strip(" .") in CLOSED, kind, language)


@dataclass(frozen=True)
class QuestionTable:
    """Questions in order, and how an image is loaded; `splits` deals out images, so no image is on two sides.

    `load` can be sent to another process. Ids may identify a person: never print them.
    """

    name: str
    questions: tuple[Question, ...] = field(repr=False)
    load: Callable[[str], Image] = field(repr=False)
    splits: Mapping[str, str] = field(default_factory=dict, repr=False)
    notes: Mapping[str, str] = field(default_factory=dict, repr=False)  # the text that comes with an image
    remarks: tuple[str, ...] = ()  # what a reader of results has to know, such as how the images were dealt out

    def __post_init__(self) -> None:
        if len({question.question_id for question in self.questions}) < len(self.questions):
            raise InputError(f"the questions of {self.name} share ids; give each question its own")

    def __len__(self) -> int:
        return len(self.questions)

    @property
    def image_ids(self) -> tuple[str, ...]:
        """Each image once, in the order in which it is first asked about."""
        return tuple(dict.fromkeys(question.image_id for question in self.questions))

    def image(self, image_id: str) -> Image:
        return self.load(image_id)

    def by_image(self) -> dict[str, tuple[Question, ...]]:
        """The questions on each image, in order."""
        groups: dict[str, list[Question]] = {}
        for question in self.questions:
            groups.setdefault(question.image_id, []).append(question)
        return {image_id: tuple(group) for image_id, group in groups.items()}

    def where(self, keep: Callable[[Question], bool]) -> QuestionTable:
        return replace(self, questions=tuple(filter(keep, self.questions)))

    def part(self, *names: str) -> QuestionTable:
        """The questions on images of these splits."""
        part = self.where(lambda question: self.splits.get(question.image_id) in names)
        if not part.questions:
            raise InputError(f"{self.name} has no questions in the split {' or '.join(names)}; choose another split")
        return part

    def with_images(self, load: Callable[[str], Image], *, name: str | None = None) -> QuestionTable:
        """The same questions on other versions of the images, such as cleaned ones."""
        return replace(self, load=load, name=name or self.name)
