"""Asking every question under every condition, image by image; a journal keeps what was answered.

A run that was killed continues where it was and ends with the same answers. Few images are in memory at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from medveil.errors import NotMeasurable, Quarantined
from medveil.utility.vqa.experiment.conditions import (
    ALONE,
    BLANK,
    ONE_TEXT,
    OTHER,
    OTHER_TEXT,
    OURS,
    RAW,
    TEXTS,
    Cleaner,
    Condition,
    blank,
    written_on,
)
from medveil.utility.vqa.experiment.kept import Entry, Kept, digest_of, digest_of_image
from medveil.utility.vqa.model import AnswerModel, Query
from medveil.utility.vqa.question import Image, Question, QuestionTable

LONGEST = 2000  # characters of an answer that are kept
TOO_FEW = "questions on at least two images that can be read are needed: intervals are by image"
NOBODY_ELSE = "there is no other patient"
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Asked:
    """Every question's answer by condition, None where the image was withheld, and the share of it that was hidden."""

    questions: tuple[Question, ...] = field(repr=False)
    answers: dict[Condition, list[str | None]] = field(repr=False)
    hidden: dict[Condition, NDArray[np.float64]] = field(repr=False)
    withheld: dict[Condition, dict[str, int]]  # images, by reason
    unreadable: dict[str, int]  # images that could not be shown at all, by reason

    def under(self, *methods: str) -> tuple[Condition, ...]:
        """These methods in this order, as far as they were tried, with nothing hidden but what they found."""
        return tuple(condition for condition in map(Condition, methods) if condition in self.answers)

    @property
    def severities(self) -> tuple[float, ...]:
        return tuple(sorted({condition.severity for condition in self.answers}))

    def answered(self, *conditions: Condition) -> NDArray[np.bool_]:
        """The questions that have an answer under each of these."""
        told = [[answer is not None for answer in self.answers[condition]] for condition in conditions]
        return np.logical_and.reduce(np.array(told, dtype=bool), axis=0)


class _Shown(NamedTuple):
    image: Image | None
    hidden: float = 0.0
    withheld: str = ""


@dataclass(frozen=True)
class Asking:
    """What is asked of whom; a note that comes with an image is the same under every condition. `versions` tells
    cleaners apart whose output differs: kept answers belong to them."""

    table: QuestionTable = field(repr=False)
    model: AnswerModel
    conditions: tuple[Condition, ...]
    cleaners: Mapping[str, Cleaner] = field(default_factory=dict, repr=False)
    versions: Mapping[str, str] = field(default_factory=dict)
    patients: Mapping[str, str] = field(default_factory=dict, repr=False)  # by image; else each is somebody's own
    seed: int = 7

    def run(self, kept: Kept, progress: Progress = lambda done, total: None) -> Asked:
        questions: list[Question] = []
        answers: dict[Condition, list[str | None]] = {condition: [] for condition in self.conditions}
        hidden: dict[Condition, list[float]] = {condition: [] for condition in self.conditions}
        withheld: dict[Condition, Counter[str]] = {condition: Counter() for condition in self.conditions}
        unreadable: Counter[str] = Counter()
        for number, (image_id, asked) in enumerate(self.table.by_image().items()):
            try:
                image = self.table.image(image_id)
            except Quarantined as problem:
                unreadable[problem.reason] += 1
                continue
            entry = kept.entry(f"answers-{number:08d}", *self._task(image, image_id, asked))
            questions += asked
            for condition in self.conditions:
                found = entry[condition.key]
                answers[condition] += found["answers"] or [None] * len(asked)
                hidden[condition] += [found["hidden"]] * len(asked)
                withheld[condition].update([found["withheld"]] if found["withheld"] else [])
            progress(len(questions), len(self.table))
        if len({question.image_id for question in questions}) < 2:
            raise NotMeasurable(TOO_FEW)
        return Asked(
            tuple(questions),
            answers,
            {condition: np.array(shares) for condition, shares in hidden.items()},
            {condition: dict(reasons) for condition, reasons in withheld.items() if reasons},
            dict(unreadable),
        )

    def _task(self, image: Image, image_id: str, asked: Sequence[Question]) -> tuple[str, Callable[[], Entry]]:
        """The digest of all that the answers depend on, and how to get them."""
        told = [
            [[question.text, question.answer] for question in asked],
            self.table.notes.get(image_id),
            [condition.key for condition in self.conditions],
            self.model.fingerprint,
            dict(self.versions),
            self._digest(image_id, image),
            self._digest(self._others[image_id]),
        ]
        return digest_of(told), lambda: self._answers(image, image_id, asked)

    def _answers(self, image: Image, image_id: str, asked: Sequence[Question]) -> Entry:
        known: dict[str, list[str]] = {}  # what two conditions leave alike is asked once
        note = self.table.notes.get(image_id)
        entry: Entry = {}
        cleaned = self._cleaned(image_id, image)
        for condition in self.conditions:
            shown = self._shown(condition, image, image_id, cleaned)
            entry[condition.key] = {"answers": None, "hidden": shown.hidden, "withheld": shown.withheld}
            if shown.withheld:
                continue
            key = "" if shown.image is None else digest_of_image(shown.image)
            if key not in known:
                found = self.model.answer_many([Query(shown.image, question.text, note) for question in asked])
                known[key] = [answer[:LONGEST] for answer in found]
            entry[condition.key]["answers"] = known[key]
        return entry

    def _shown(self, condition: Condition, image: Image, image_id: str, cleaned: Mapping[Condition, _Shown]) -> _Shown:
        method = condition.method
        if method == RAW:
            return _Shown(image)
        if method == ALONE:
            return _Shown(None, 1.0)
        if method == BLANK:
            return _Shown(blank(image), 1.0)
        if method == OTHER:
            return self._other_image(image_id)
        if method in (ONE_TEXT, OTHER_TEXT):
            base = cleaned.get(Condition(OURS), _Shown(image))
            return base if base.image is None else _Shown(written_on(base.image, TEXTS[method == OTHER_TEXT]))
        return cleaned[condition]

    def _cleaned(self, image_id: str, image: Image) -> dict[Condition, _Shown]:
        done: dict[Condition, _Shown] = {}
        for method, cleaner in self.cleaners.items():
            wanted = [condition for condition in self.conditions if condition.method == method]
            try:
                found = cleaner(image_id, image, [condition.severity for condition in wanted])
            except Quarantined as problem:
                done |= {condition: _Shown(None, withheld=problem.reason) for condition in wanted}
            else:
                done |= {condition: _Shown(one.image, one.hidden) for condition, one in zip(wanted, found, strict=True)}
        return done

    def _other_image(self, image_id: str) -> _Shown:
        other = self._others[image_id]
        if other is None:
            return _Shown(None, withheld=NOBODY_ELSE)
        try:
            return _Shown(self.table.image(other), 1.0)
        except Quarantined as problem:
            return _Shown(None, withheld=problem.reason)

    def _digest(self, image_id: str | None, image: Image | None = None) -> str:
        """Of an image that may have been looked at before; none has none, nor has one that cannot be read."""
        if image_id is None:
            return ""
        if image_id not in self._digests:
            try:
                self._digests[image_id] = digest_of_image(self.table.image(image_id) if image is None else image)
            except Quarantined:
                self._digests[image_id] = ""
        return self._digests[image_id]

    @cached_property
    def _digests(self) -> dict[str, str]:
        return {}

    @cached_property
    def _others(self) -> dict[str, str | None]:
        """For each image one of another patient, in an order that follows from the seed."""
        ids = self.table.image_ids
        order = [ids[place] for place in np.random.default_rng([self.seed, 21]).permutation(len(ids))]
        whose = [self.patients.get(image_id, image_id) for image_id in order]
        found: dict[str, str | None] = {}
        for place, image_id in enumerate(order):
            after = ((place + step) % len(order) for step in range(1, len(order)))
            found[image_id] = next((order[at] for at in after if whose[at] != whose[place]), None)
        return found
