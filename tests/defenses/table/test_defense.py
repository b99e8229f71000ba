from __future__ import annotations

import numpy as np
import pandas as pd

from medveil.cohort.splits import split_of
from medveil.defenses.table.defense import POOLED, PseudonymousRecords
from medveil.parts import Subject
from medveil.person.keys import Keys
from medveil.person.person import Person

KEYS = Keys.for_demonstration(7)


def record(**changes: object) -> Subject:
    row = {
        "image_id": "1.2.3",
        "patient_id": "MRN77",
        "study_id": "ACC1",
        "site": "St Elsewhere",
        "path": "DOE_JANE/1.dcm",
        "frame": 0,
        "age": 61.0,
        "date": pd.Timestamp("2019-03-04 05:06:07"),
    }
    row |= changes
    return Subject(Person(KEYS, str(row["patient_id"])), row=row)


def test_nothing_of_the_original_stays() -> None:
    row = PseudonymousRecords(KEYS).apply(record()).row
    released = repr(row)
    for original in ("1.2.3", "MRN77", "ACC1", "Elsewhere", "DOE", "2019-03-04", "05:06"):
        assert original not in released


def test_intervals_between_studies_are_kept_and_times_are_not() -> None:
    defense = PseudonymousRecords(KEYS)
    first = defense.apply(record()).row["date"]
    later = defense.apply(record(study_id="ACC2", date=pd.Timestamp("2019-03-14 23:59"))).row["date"]
    assert (later - first).days == 10
    assert first == first.normalize()
    assert 1 <= (pd.Timestamp("2019-03-04") - first).days <= 365


def test_ages_over_89_are_capped_and_missing_ones_stay_missing() -> None:
    defense = PseudonymousRecords(KEYS)
    assert defense.apply(record(age=97.0)).row["age"] == 90
    assert defense.apply(record(age=89.9)).row["age"] == 89
    assert defense.apply(record(age=51.123)).row["age"] == 51, "days would be as good as a birth date"
    assert np.isnan(defense.apply(record(age=float("nan"))).row["age"])


def test_the_split_tells_nothing_about_the_true_id() -> None:
    defense = PseudonymousRecords(KEYS)
    rows = [defense.apply(record(patient_id=f"p{k}", split="train")).row for k in range(50)]
    assert [row["split"] for row in rows] == [split_of(row["patient_id"]) for row in rows]
    assert {row["split"] for row in rows} != {"train"}


def test_missing_site_and_date_are_no_trouble() -> None:
    row = PseudonymousRecords(KEYS).apply(record(site=np.nan, date=pd.NaT)).row
    assert pd.isna(row["site"])
    assert pd.isna(row["date"])


def test_a_site_that_is_called_as_merged_ones_are_is_replaced_too() -> None:
    assert PseudonymousRecords(KEYS).apply(record(site=POOLED)).row["site"] != POOLED
