from __future__ import annotations

import pytest

from medveil.cohort import Cohort
from medveil.defenses.reports.defense import CleanReports
from medveil.parts import Subject, registered
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.testing import check_defense

KEYS = Keys.for_demonstration(7)


def subject(report: str | None) -> Subject:
    return Subject(Person(KEYS, "MRN77"), text=report)


@pytest.fixture(scope="module")
def defense() -> CleanReports:
    return CleanReports(KEYS)


def test_it_is_the_defense_of_reports() -> None:
    assert registered("defenses")["reports"] is CleanReports


def test_a_report_is_cleaned_and_what_went_is_counted(defense: CleanReports) -> None:
    out = defense.apply(subject("Discussed with Dr. Hartwell on 03/14/2021. No effusion."))
    assert "Hartwell" not in out.text
    assert out.text.endswith("No effusion.")
    assert out.done[""] == {
        "names of staff replaced in reports": 1,
        "dates replaced in reports": 1,
        "reports cleaned": 1,
    }


def test_no_report_is_no_trouble(defense: CleanReports) -> None:
    assert defense.apply(subject(None)).done == {}


def test_conformance(defense: CleanReports, hospital: Cohort) -> None:
    records = check_defense(defense, hospital, images=6)
    assert len(records) == 6
    for row, one in enumerate(records):
        assert str(hospital.table["patient_id"].iloc[row]) not in one.text
