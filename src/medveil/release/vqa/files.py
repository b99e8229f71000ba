"""The files that `medveil measure vqa` writes beside its report: tables for programs, and every answer."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from medveil.finding import Table
from medveil.runtime.storage import atomic_path
from medveil.utility.vqa.experiment.comparison import Compared
from medveil.utility.vqa.experiment.labels import harmless

ANSWERS, SCORES, JOURNAL = "answers.csv", "scores.csv", "journal.sqlite"
SHEET, PAGE = "labels-sheet.csv", "labels.html"
_COLUMNS = ("question", "image", "method", "hidden_at_least", "hidden", "text", "reference", "answer")


def write_table(table: Table, path: Path) -> None:
    _write(path, table.columns, table.rows)


def write_answers(compared: Compared, path: Path) -> None:
    """Every answer with its scores; questions and images go by their numbers."""
    _write(path, (*_COLUMNS, *compared.scores), _answers(compared))


def _answers(compared: Compared) -> Iterator[Sequence[Any]]:
    asked = compared.asked
    images = {image: number for number, image in enumerate(dict.fromkeys(each.image_id for each in asked.questions), 1)}
    for condition, answers in asked.answers.items():
        scores = [compared.values.get((condition, score)) for score in compared.scores]
        for place, (question, answer) in enumerate(zip(asked.questions, answers, strict=True)):
            if answer is not None:
                given = ["" if each is None or not np.isfinite(each[place]) else each[place] for each in scores]
                where = (place + 1, images[question.image_id], condition.method, condition.severity)
                told = map(harmless, (question.text, question.answer, answer))
                yield (*where, asked.hidden[condition][place], *told, *given)


def _write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)
