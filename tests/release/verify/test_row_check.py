from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from medveil.cohort import LABELS
from medveil.person.keys import Keys
from medveil.person.person import Person
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
