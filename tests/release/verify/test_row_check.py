from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from medveil.cohort import LABELS
from medveil.defenses.table.carried_plan import CarriedPlan
from medveil.defenses.table.defense import POOLED
from medveil.defenses.table.generalisation import Node
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.release.clean.table_file import ColumnSettings
from medveil.release.verify.discrepancy import Discrepancy
from medveil.release.verify.row_check import RowCheck

KEYS = Keys(b"\x07" * 32)
PERSON = Person(KEYS, "MR-1")
ORIGINAL: dict[str, Any] = {
    "image_id": "2.25.1",
    "patient_id": "MR-1",
    "study_id": "2.25.9",
    "site": "St. Mary",
    "view": "PA",
    "path": "a/1.dcm",
    "frame": 0,
    "report": "No effusion.",
    "age": 93.4,
    "sex": "F",
    "date": pd.Timestamp("2019-03-04 10:11"),
    "split": "train",
    **dict.fromkeys(LABELS, float("nan")),
    "Edema": 1.0,
}
RELEASED = {
    **ORIGINAL,
    **{f"{kind}_id": KEYS.pseudonym(kind, ORIGINAL[f"{kind}_id"]) for kind in ("image", "patient", "study")},
    "site": "site-0a1b2c",
    "age": 90.0,
    "date": pd.Timestamp("2019-03-04") - PERSON.shift,
    "split": "test",
}


def found(**changes: Any) -> list[Discrepancy]:
    return list(RowCheck(KEYS).discrepancies("f", {**RELEASED, **changes}, ORIGINAL, PERSON))


def test_a_row_as_it_should_be() -> None:
    assert found() == []
    assert found(date=pd.NaT, site=None) == []  # what is not there says nothing


@pytest.mark.parametrize(
    ("changes", "place", "said"),
    [
        ({"patient_id": "MR-1"}, "patient_id", "as in the source"),
        ({"image_id": "0" * 20}, "image_id", "another id"),
        ({"site": "St. Mary"}, "site", "as in the source"),
        ({"date": pd.Timestamp("2019-03-04")}, "date", "another date"),
        ({"age": 93.0}, "age", "a greater age"),
    ],
)
def test_what_may_identify_someone_is_a_leak(changes: dict[str, Any], place: str, said: str) -> None:
    (only,) = found(**changes)
    assert (only.place, only.found, only.leak) == (place, said, True)
    assert not any(str(value) in repr(only) for value in ("MR-1", "St. Mary", "2019", "93"))


@pytest.mark.parametrize(
    ("changes", "place", "said"),
    [
        ({"Edema": 0.0}, "Edema", "changed"),
        ({"Edema": float("nan")}, "Edema", "missing"),
        ({"Fracture": 1.0}, "Fracture", "changed"),
        ({"sex": None}, "sex", "missing"),
        ({"view": "AP"}, "view", "changed"),
        ({"age": 12.0}, "age", "changed"),
    ],
)
def test_what_should_have_been_kept_is_a_loss(changes: dict[str, Any], place: str, said: str) -> None:
    (only,) = found(**changes)
    assert (only.place, only.found, only.leak) == (place, said, False)


def told(settings: ColumnSettings, **changes: Any) -> list[tuple[str, str, bool]]:
    keys = replace(KEYS, tellings=settings.tellings)
    person = Person(keys, "MR-1")
    check = RowCheck(keys, settings)
    discrepancies = check.discrepancies("f", {**RELEASED, **changes}, ORIGINAL, person)
    return [(one.place, one.found, one.leak) for one in discrepancies]


def test_a_row_that_tells_less() -> None:
    coarse = ColumnSettings(ages=20, dates="year", sites="dropped")
    day = PERSON.moved(ORIGINAL["date"].date()).replace(month=1, day=1)
    assert told(coarse, age=80.0, site=None, date=pd.Timestamp(day)) == []
    assert told(coarse, age=80.0, date=pd.Timestamp(day)) == [("site", "a site", True)]
    assert told(coarse, site=None, date=pd.Timestamp(day)) == [("age", "another age", True)]
    assert told(coarse, age=80.0, site=None) == [("date", "another date", True)]
    nothing = ColumnSettings(ages=0, dates="dropped")
    assert told(nothing, age=None, date=pd.NaT) == []
    assert {place for place, *_ in told(nothing)} == {"age", "date"}


def test_a_row_against_the_plan() -> None:
    patient, study, site = (KEYS.digest(kind, str(ORIGINAL[column])) for kind, column in _IDS)

    def by(**lists: str) -> ColumnSettings:
        plan = CarriedPlan(Node(sites="merged"), **{name: frozenset({digest}) for name, digest in lists.items()})
        return ColumnSettings(sites="merged", plan=plan.written())

    assert told(by(pooled=site), site=POOLED) == []
    assert told(by(pooled=site)) == [("site", "a site of its own", True)]
    assert told(by(pooled=site, no_age=patient), site=POOLED, age=None) == []
    assert told(by(pooled=site, no_age=patient), site=POOLED) == [("age", "another age", True)]
    assert told(by(pooled=site, no_site=patient), site=POOLED) == [("site", "a site", True)]
    assert told(by(pooled=site, withheld=patient), site=POOLED) == [("", "released", True)]
    assert told(by(pooled=site, later=study), site=POOLED) == [("", "released", True)]


_IDS = (("patient", "patient_id"), ("study", "study_id"), ("site", "site"))
