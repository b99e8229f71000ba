"""Images whose answer is a patch of light, and models that look at it, at the corner, or at nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from medveil.errors import Quarantined
from medveil.utility.vqa.experiment.conditions import Cleaned
from medveil.utility.vqa.model import Query, one_by_one
from medveil.utility.vqa.question import Image, Question, QuestionTable

PATCH = np.s_[40:60, 40:60]
CORNER = np.s_[:20, :60]


def picture(seed: int, image_id: str) -> Image:
    """Bright in the middle for images of even number; a corner that means nothing."""
    number = int(image_id)
    image = np.random.default_rng([seed, number]).integers(60, 90, (96, 96), dtype=np.uint8)
    image[PATCH] = 220 if number % 2 == 0 else 30
    image[CORNER] = 150
    return image


def table_of(images: int, *, each: int = 2, seed: int = 1) -> QuestionTable:
    questions = [
        Question.of(
            f"{image}-{turn}",
            str(image),
            f"Is it bright? {turn}" if turn % 2 == 0 else f"What is it like? {turn}",
            ("yes" if turn % 2 == 0 else "bright patch")
            if image % 2 == 0
            else ("no" if turn % 2 == 0 else "dark patch"),
            kind="presence" if turn % 2 == 0 else "look",
        )
        for image in range(images)
        for turn in range(each)
    ]
    return QuestionTable("stand-ins", tuple(questions), partial(picture, seed))


@dataclass
class Looker:
    """Answers by the brightness of a place; without an image it guesses."""

    name: str = "looker"
    license: str = "none"
    fingerprint: str = "looker-1"
    place: tuple[slice, slice] = PATCH
    asked: int = 0

    def answer(self, image: Image | None, question: str, note: str | None = None) -> str:
        self.asked += 1
        bright = image is not None and float(image[self.place].mean()) > 127
        return ("yes" if bright else "no") if question.startswith("Is") else f"{'bright' if bright else 'dark'} patch"

    def answer_many(self, queries: Sequence[Query]) -> list[str]:
        return one_by_one(self, queries)


def unchanged(image_id: str, image: Image, severities: Sequence[float]) -> list[Cleaned]:
    return [Cleaned(image, 0.0) for _ in severities]


def corner_painted(image_id: str, image: Image, severities: Sequence[float]) -> list[Cleaned]:
    cleaned = image.copy()
    cleaned[CORNER] = 75
    return [Cleaned(cleaned, 0.13) for _ in severities]


def destroyed(image_id: str, image: Image, severities: Sequence[float]) -> list[Cleaned]:
    return [Cleaned(np.full_like(image, 75), 1.0) for _ in severities]


def withholding(numbers: Sequence[int]) -> Callable[[str, Image, Sequence[float]], list[Cleaned]]:
    def clean(image_id: str, image: Image, severities: Sequence[float]) -> list[Cleaned]:
        if int(image_id) in numbers:
            raise Quarantined("something in it may be text; a person must look")
        return corner_painted(image_id, image, severities)

    return clean
