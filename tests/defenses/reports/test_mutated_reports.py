"""Mutated reports: no crash, no hang, and no number of the patient's in what comes out."""

from __future__ import annotations

import numpy as np
import pytest

from medveil.cohort import Cohort
from medveil.defenses.reports.cleaner import CleanedText, ReportCleaner
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.person import Known, Person
from medveil.person.search.known import KnownSearch

COUNT = 120
PIECES = (
    "\x00",
    "\ufffd",
    "\u202e",
    "\u200b",
    "é",
    "漢字",
    "\r",
    "\n\n\n",
    "[",
    "]]",
    "___",
    "XXXX",
    "1" * 40,
    "A" * 60,
    "'",
    "\\",
    "|",
    "\t\t",
)


def mutated(rng: np.random.Generator, text: str) -> str:
    letters = list(text)
    for _ in range(int(rng.integers(1, 12))):
        place = int(rng.integers(len(letters) + 1))
        match int(rng.integers(6)):
            case 0:
                letters[place:place] = PIECES[int(rng.integers(len(PIECES)))]
            case 1:
                del letters[place : place + int(rng.integers(1, 60))]
            case 2:
                letters[place:place] = letters[place : place + int(rng.integers(1, 200))]
            case 3:
                letters = list("".join(letters).swapcase())
            case 4:
                letters[place : place + 30] = reversed(letters[place : place + 30])
            case 5:
                letters = letters[: max(place, 1)]
    return "".join(letters)


@pytest.mark.parametrize("style", ["surrogates", "placeholders"])
def test_mutated_reports(hospital: Cohort, style: str) -> None:
    rng = np.random.default_rng(5)
    cleaner = ReportCleaner(style=style)  # type: ignore[arg-type]
    keys = Keys.for_demonstration(2)
    rows = hospital.table.sample(COUNT // 2, random_state=3, replace=True)
    texts = [mutated(rng, report) for report in rows["report"]]
    people = [
        Person(keys, patient, (Known(Category.MRN, patient), Known(Category.ACCESSION, study)))
        for patient, study in zip(rows["patient_id"], rows["study_id"], strict=True)
    ]
    results = cleaner.attempt_many(texts, people)
    cleaned = [result for result in results if isinstance(result, CleanedText)]
    assert len(cleaned) > COUNT // 4
    for text, person, result in zip(texts, people, results, strict=True):
        if isinstance(result, CleanedText):
            assert KnownSearch(person.known).find(result.text) == []
            assert result.found or result.text is text
            assert all(0 <= one.start < one.end <= len(text) for one in result.found)
