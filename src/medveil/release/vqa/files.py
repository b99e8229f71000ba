"""The files that `medveil measure vqa` writes beside its report: tables for programs, and every answer."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np

from medveil.finding import Table
from medveil.runtime.storage import write_bytes
from medveil.utility.vqa.experiment.comparison import Compared

ANSWERS, SCORES, JOURNAL = "answers.csv", "scores.csv", "journal.sqlite"
SHEET, PAGE = "labels-sheet.csv", "labels.html"


def written(table: Table, path: Path) -> None:
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(table.columns)
    rows.writerows(table.rows)
    write_bytes(path, text.getvalue().encode())


def answer_table(compared: Compared) -> Table:
    """Every answer with its scores; questions and images go by their numbers."""
    asked = compared.asked
    images = {image: number for number, image in enumerate(dict.fromkeys(each.image_id for each in asked.questions), 1)}
    rows = []
    for condition, answers in asked.answers.items():
        scores = [compared.values.get((condition, score)) for score in compared.scores]
        for place, (question, answer) in enumerate(zip(asked.questions, answers, strict=True)):
            if answer is None:
                continue
            given = [None if each is None or not np.isfinite(each[place]) else float(each[place]) for each in scores]
            hidden = float(asked.hidden[condition][place])
            rows.append(
                (
                    place + 1,
                    images[question.image_id],
                    condition.method,
                    condition.severity,
                    hidden,
                    question.text,
                    question.answer,
                    answer,
                    *given,
                )
            )
    columns = ("question", "image", "method", "hidden_at_least", "hidden", "text", "reference", "answer")
    return Table("Every answer", (*columns, *compared.scores), tuple(rows))
