"""What is asked about: a question set as published, a phantom hospital, or a cohort with questions in a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from medveil.cohort.input import read_cohort
from medveil.errors import InputError
from medveil.utility.vqa.cohort_questions import cohort_questions, own_table, sampled
from medveil.utility.vqa.experiment.kept import digest_of
from medveil.utility.vqa.question import QuestionTable
from medveil.utility.vqa.questions.loading import read_questions
from medveil.utility.vqa.questions.phantom import is_hospital

HELD_OUT = ("val", "test")
EVERYTHING = "all"


@dataclass(frozen=True)
class Questions:
    """`patients` are known of a cohort; of a question set, each image counts as somebody's own."""

    table: QuestionTable = field(repr=False)
    patients: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def people(self) -> int:
        return len({self.patients.get(image, image) for image in self.table.image_ids})

    @property
    def sha256(self) -> str:
        """Of questions and answers: it says whether they were the same, and of whom nothing."""
        return digest_of([[each.text, each.answer] for each in self.table.questions])


def find_questions(
    source: Path, *, file: Path | None = None, split: str | None = None, most: int | None = None, seed: int = 7
) -> Questions:
    """Of a question set with splits, the images that nothing was learned from unless a split is named."""
    if file is not None or is_hospital(source) or own_table(source) is not None:
        cohort = read_cohort(source)
        ids = zip(cohort.table["image_id"].astype(str), cohort.table["patient_id"].astype(str), strict=True)
        found = Questions(cohort_questions(cohort, file), dict(ids))
        if split is not None:
            raise InputError("a split is chosen of a question set; leave --split out for a cohort")
    else:
        found = Questions(_held_out(read_questions(source), split))
    return replace(found, table=sampled(found.table, most, seed=seed)) if most else found


def _held_out(table: QuestionTable, split: str | None) -> QuestionTable:
    if split == EVERYTHING:
        return table
    if split is not None:
        return table.part(split)
    there = set(table.splits.values()) & set(HELD_OUT)
    return table.part(*sorted(there)) if there else table
