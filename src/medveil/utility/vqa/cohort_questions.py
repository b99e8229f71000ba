"""The questions on a cohort's images: from a table of the user's, from columns of the cohort's own table, or out of a
phantom hospital's plan."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from medveil.cohort import Cohort
from medveil.cohort.tables.reading import CSV_SUFFIXES, header_of, is_workbook, read_table
from medveil.errors import InputError, NotMeasurable
from medveil.utility.vqa.question import Image, Question, QuestionTable
from medveil.utility.vqa.questions.phantom import hospital_questions, is_hospital
from medveil.utility.vqa.questions.pictures import as_8_bit

COLUMNS = ("image_id", "question", "answer")
KIND = "kind"  # a column that need not be there
NOT_HERE = (
    "{:,} of {:,} questions in the table were not asked, for the images that it names are not at hand: withheld, or "
    "called otherwise."
)
NONE_HERE = (
    "there are no questions on these images; a table with the columns image_id, question and answer, in their folder "
    "or named as questions=FILE, asks some"
)


def cohort_questions(cohort: Cohort, file: Path | None = None) -> QuestionTable:
    if file is None and is_hospital(cohort.root):
        return hospital_questions(cohort)
    file = file or own_table(cohort.root)
    if file is None:
        raise NotMeasurable(NONE_HERE)
    return _of_file(cohort, file)


def own_table(folder: Path) -> Path | None:
    """The table in a folder of images that has questions in its columns; which of several is meant, nobody can say."""
    if not folder.is_dir():
        return None
    tables = sorted(file for file in folder.iterdir() if is_workbook(file) or file.suffix.lower() in CSV_SUFFIXES)
    found = [file for file in tables if set(COLUMNS) <= set(header_of(file))]
    if len(found) > 1:
        raise InputError(f"{folder} holds {len(found)} tables with questions; name the one that is meant")
    return found[0] if found else None


def _of_file(cohort: Cohort, file: Path) -> QuestionTable:
    cells = read_table(file, COLUMNS).cells
    rows = {str(image): row for row, image in enumerate(cohort.table["image_id"])}
    questions: list[Question] = []
    elsewhere = 0
    for number, row in zip(cells.index, cells.fillna("").to_dict("records"), strict=True):
        image, text, answer = (str(row[column]).strip() for column in COLUMNS)
        if not (text or answer):
            continue  # an image that nothing is asked about
        if not (image and text and answer):
            raise InputError(f"row {number} of {file} lacks an image, a question or an answer; fill it in, or drop it")
        if image not in rows:
            elsewhere += 1
            continue
        kind = str(row.get(KIND) or "other").strip()
        questions.append(Question.of(f"row-{number}", image, text, answer, kind=kind))
    if not questions:
        raise NotMeasurable(f"the table of questions names none of the images at hand ({elsewhere:,} others)")
    told = (NOT_HERE.format(elsewhere, elsewhere + len(questions)),) if elsewhere else ()
    return QuestionTable("questions", tuple(questions), partial(shown, cohort, rows), remarks=told)


def shown(cohort: Cohort, rows: dict[str, int], image_id: str) -> Image:
    """A row's image as models see it."""
    return as_8_bit(cohort.image(rows[image_id]))


def sampled(table: QuestionTable, most: int, *, seed: int) -> QuestionTable:
    """Whole images drawn by chance, until there are so many questions; in the order of the table."""
    if len(table) <= most:
        return table
    groups = table.by_image()
    order = np.random.default_rng([seed, 22]).permutation(len(groups))
    names, taken, asked = list(groups), set(), 0
    for place in order:
        taken.add(names[place])
        asked += len(groups[names[place]])
        if asked >= most and len(taken) > 1:
            break
    return table.where(lambda question: question.image_id in taken)
