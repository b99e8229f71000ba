"""Questions on phantom films, as many as wanted: drawn when they are needed, or the films of a phantom hospital."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from medveil.cohort.cohort import Cohort
from medveil.cohort.phantom.burn_in import lay_over
from medveil.cohort.phantom.chart import Chart, make_demographics, make_encounter
from medveil.cohort.phantom.hospital import FORMAT, SETTINGS
from medveil.cohort.phantom.plan import PatientPlan, VisitPlan, plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.cohort.phantom.sites import MOST, make_site
from medveil.cohort.preprocess import to_8_bit
from medveil.cohort.splits import split_of
from medveil.errors import InputError
from medveil.utility.vqa.question import Image, QuestionTable
from medveil.utility.vqa.questions.planned import PlannedFilm, planned_questions, prior_note

SIZE = 256


def phantom_questions(
    patients: int, *, seed: int, first: int = 0, size: int = SIZE, written: bool = False
) -> QuestionTable:
    """On the last film of each of so many patients; `written` burns names, dates and markers in, as hospitals do.

    The question is the same whether text is burned in or not, and so is all else on the film.
    """
    films = [
        PlannedFilm(f"{number}-{visits[-1].number}", visits[-1], visits[-2] if len(visits) > 1 else None)
        for number in range(first, first + patients)
        for visits in [plan_patient(seed, number, MOST).visits]
    ]
    return _table("phantom films", films, partial(drawn, seed, size, written), seed=seed)


def hospital_questions(cohort: Cohort, *, seed: int = 0) -> QuestionTable:
    """On every film of a phantom hospital that the cohort holds, by the cohort's image ids."""
    rows = {str(image): row for row, image in enumerate(cohort.table["image_id"])}
    films = [film for film in _of_hospital(cohort.root) if film.image_id in rows]
    if not films:
        raise InputError(f"{cohort.root} holds no film of its phantom hospital; build it with medveil phantom")
    return _table("phantom hospital", films, partial(_loaded, cohort, rows), seed=seed)


def is_hospital(folder: Path) -> bool:
    return (folder / SETTINGS).is_file()


def drawn(seed: int, size: int, written: bool, image_id: str) -> Image:
    """The film of this id, 8 bits."""
    number, visit = map(int, image_id.split("-"))
    patient = plan_patient(seed, number, MOST)
    pixels = draw(patient, patient.visits[visit], sites_seed=seed, size=size).pixels.copy()
    if written:
        lay_over(_chart(seed, patient, patient.visits[visit]), pixels)
    return np.asarray(pixels >> 4, np.uint8)


def _table(name: str, films: list[PlannedFilm], load: partial[Image], *, seed: int) -> QuestionTable:
    questions = tuple(planned_questions(films, seed=seed))
    notes = {film.image_id: note for film in films if (note := prior_note(film))}
    splits = {film.image_id: split_of(film.image_id, salt="questions") for film in films}
    remark = "Each wording has as many films for each answer, so that the question alone tells nothing."
    return QuestionTable(name, questions, load, splits, notes, (remark,))


def _of_hospital(folder: Path) -> Iterator[PlannedFilm]:
    try:
        told = json.loads((folder / SETTINGS).read_bytes())
        if told["format"] != FORMAT:
            raise ValueError
        seed, sites, patients = int(told["seed"]), int(told["sites"]), int(told["patients"])
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(f"{folder} is no phantom hospital; build one with medveil phantom") from None
    for number in range(patients):
        patient = plan_patient(seed, number, sites)
        for visit, before in zip(patient.visits, (None, *patient.visits), strict=False):
            yield PlannedFilm(_chart(seed, patient, visit).image_uid, visit, before)


def _chart(seed: int, patient: PatientPlan, visit: VisitPlan) -> Chart:
    site = make_site(seed, patient.site)
    person = make_demographics(seed, patient, site)
    return Chart(seed, patient, visit, person, make_encounter(seed, patient, visit, site), site)


def _loaded(cohort: Cohort, rows: dict[str, int], image_id: str) -> Image:
    return to_8_bit(cohort.image(rows[image_id]))
