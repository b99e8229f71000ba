"""Facts: questions in many wordings, and what is right for each thing that an image may show."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

Fact = tuple[str, str, str]  # question, answer, what the image shows
MOST = 24  # wordings of one question that are taken
UNKNOWN = ""  # an image that shows this may be either


def spelled_out(asked: Iterable[tuple[str, Sequence[str]]], shown: Sequence[str]) -> Iterator[Fact]:
    """Wordings, (one|or another) in each place, with the answer for each of `shown`."""
    drawn = random.Random(0)
    for wordings, answers in asked:
        texts = _spelled_out(wordings)
        texts = sorted(drawn.sample(texts, MOST)) if len(texts) > MOST else texts
        told = [(answer, name) for answer, name in zip(answers, shown, strict=True) if answer != UNKNOWN]
        yield from ((text, answer, name) for text in texts for answer, name in told)


def _spelled_out(wordings: str) -> list[str]:
    fixed, choices = re.split(r"\([^)]*\)", wordings), re.findall(r"\(([^)]*)\)", wordings)
    spelled = (
        "".join(part + chosen for part, chosen in zip(fixed, (*some, ""), strict=True))
        for some in product(*(choice.split("|") for choice in choices))
    )
    return sorted({re.sub(r"\s+(?=\?)", "", re.sub(r"\s+", " ", text)) for text in spelled})
