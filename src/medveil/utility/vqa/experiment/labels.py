"""A sample of answers for a person to label, blind to the judge and to how an image was cleaned; and what came of it.

The questions are drawn at random, so that what a person says of them corrects the judge's scores of all.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from medveil.cohort.tables.reading import read_table
from medveil.errors import InputError, NotMeasurable
from medveil.finding import Table
from medveil.stats.estimate import Estimate
from medveil.utility.vqa.experiment.asking import Asked
from medveil.utility.vqa.experiment.conditions import OURS, RAW, Condition
from medveil.utility.vqa.experiment.kept import digest_of
from medveil.utility.vqa.judge.agreement import agreement, corrected
from medveil.utility.vqa.question import Question

MOST = 100  # questions in a sample
COLUMNS = ("item", "question", "reference", "answer", "label")
LABELS = {"1": 1.0, "0": 0.0, "": float("nan")}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Item:
    """One answer to be labelled; `item` tells it from all others and says nothing else."""

    item: str
    question: str
    reference: str
    answer: str

    @classmethod
    def of(cls, question: Question, answer: str) -> Item:
        told = [question.text, question.answer, answer]
        return cls(digest_of(told)[:16], *told)


def drawn(asked: Asked, *, seed: int, most: int = MOST) -> NDArray[np.intp]:
    """The places of the questions that are in the sample: those with an answer both raw and cleaned."""
    places = np.flatnonzero(asked.answered(*asked.under(RAW, OURS)))
    return np.sort(np.random.default_rng([seed, 23]).permutation(places)[:most])


def sample(asked: Asked, *, seed: int, most: int = MOST) -> list[Item]:
    """The raw and the cleaned answers to these questions, in an order that tells nothing; what is alike stands once."""
    items: dict[str, Item] = {}
    for place in drawn(asked, seed=seed, most=most):
        for condition in asked.under(RAW, OURS):
            one = Item.of(asked.questions[place], asked.answers[condition][place] or "")
            items[one.item] = one
    return [items[name] for name in sorted(items)]  # by their digests


def sheet(items: list[Item]) -> str:
    """For a spreadsheet; what would be a formula there is not one."""
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(COLUMNS)
    for one in items:
        rows.writerow([one.item, *map(harmless, (one.question, one.reference, one.answer)), ""])
    return text.getvalue()


def harmless(text: str) -> str:
    """What a spreadsheet shows as text, whatever a model or a server answered."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def read_labels(path: Path) -> dict[str, float]:
    """By item: 1 right, 0 wrong; what was left open is left out."""
    cells = read_table(path, ("item", "label")).cells.fillna("")
    found: dict[str, float] = {}
    for number, item, label in zip(cells.index, cells["item"], cells["label"], strict=True):
        if str(label).strip() not in LABELS:
            raise InputError(f"row {number} of {path} has a label other than 1 (right) and 0 (wrong); correct it")
        if str(label).strip():
            found[str(item).strip()] = LABELS[str(label).strip()]
    return found


def labelled(asked: Asked, labels: Mapping[str, float], condition: Condition, *, seed: int, most: int = MOST) -> Floats:
    """A person's verdict on each answer of the sample under this condition; NaN on all others."""
    found = np.full(len(asked.questions), np.nan)
    for place in drawn(asked, seed=seed, most=most):
        answer = asked.answers[condition][place] or ""
        found[place] = labels.get(Item.of(asked.questions[place], answer).item, np.nan)
    return found


@dataclass(frozen=True)
class HumanAgreement:
    """κ of judge and person, and what people would say of all answers: raw, cleaned and the difference."""

    kappa: Estimate | None  # not, where judge and person call every answer the same
    corrected: dict[str, Estimate]
    labels: int

    def table(self) -> Table:
        rows = tuple((name, each.value, each.low, each.high, each.n) for name, each in self.estimates().items())
        return Table("The judge and people", ("what", "value", "low", "high", "n"), rows)

    def estimates(self) -> dict[str, Estimate]:
        told = {f"judge corrected by people, {name}": each for name, each in self.corrected.items()}
        return ({} if self.kappa is None else {"κ of judge and person": self.kappa}) | told

    @property
    def sentence(self) -> str:
        if self.kappa is None:
            return "Judge and person call every labelled answer the same, of which κ says nothing."
        low, high = self.kappa.low, self.kappa.high
        return f"Judge and person agree with κ = {self.kappa.value:.2f} ({low:.2f} to {high:.2f})."


def _refuse_others(asked: Asked, labels: Mapping[str, float], *, seed: int, most: int) -> None:
    """Where answers have changed since, what is left of the labels is no random sample, and corrects nothing."""
    strange = len(labels.keys() - {one.item for one in sample(asked, seed=seed, most=most)})
    if strange or not labels:
        raise InputError(
            f"{strange:,} of {len(labels):,} labels are of other answers than the sample's; label the sheet that this "
            "very run wrote"
        )


def held_against_people(
    asked: Asked, scores: Mapping[Condition, Floats], labels: Mapping[str, float], *, seed: int, most: int = MOST
) -> HumanAgreement:
    """κ over all labelled answers; scores corrected by prediction-powered inference."""
    if not scores:
        raise NotMeasurable("there is no judge to hold against people; name one with --judge")
    _refuse_others(asked, labels, seed=seed, most=most)
    images = [question.image_id for question in asked.questions]
    said = {each: labelled(asked, labels, each, seed=seed, most=most) for each in asked.under(RAW, OURS)}
    pairs = [
        (scores[condition][place], each[place], images[place])
        for condition, each in said.items()
        for place in np.flatnonzero(np.isfinite(each))
    ]
    judged, told, whose = zip(*pairs, strict=True)
    found = {each.method: corrected(scores[each], said[each], images, seed=seed) for each in said}
    raw, ours = Condition(RAW), Condition(OURS)
    both = np.isfinite(scores[raw]) & np.isfinite(scores[ours])
    found["cleaned minus raw"] = corrected(
        (scores[ours] - scores[raw])[both],
        (said[ours] - said[raw])[both],
        [image for image, use in zip(images, both, strict=True) if use],
        seed=seed,
        least=-1.0,
    )
    return HumanAgreement(agreement(np.array(judged), np.array(told), whose, seed=seed), found, len(pairs))
