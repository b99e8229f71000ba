from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from medveil.cohort import Cohort, Problem
from medveil.cohort.describe import describe, write_problems


def cohort() -> Cohort:
    table = pd.DataFrame(
        {
            "image_id": ["i1", "i2", "i3", "i4"],
            "patient_id": ["Doe", "Doe", "Doe", "Roe"],
            "study_id": ["s1", "s1", "s2", "s3"],
            "path": ["1.png", "2.png", "3.png", "4.png"],
            "view": ["PA", "LATERAL", "PA", None],
            "age": [50, 50, 51, None],
            "sex": ["F", "F", "F", "M"],
            "date": pd.to_datetime(["2019-01-01", "2019-01-01", "2021-02-03", None]),
            "report": ["four", "four", "sixsix", None],
            "Edema": [1, 1, 0, -1],
        }
    )
    return Cohort.of(table, Path(), problems=[Problem("Doe.png", "empty file"), Problem("Roe.png", "empty file")])


def test_counts_by_hand() -> None:
    found = describe(cohort())
    assert found["patients"] == 2
    assert found["studies"] == 3
    assert found["images"] == 4
    assert found["images of nobody known"] == 0
    assert found["patients with two or more studies"] == 1
    assert found["views"] == {"PA": 2, "LATERAL": 1, "missing": 1}
    assert found["sex (patients)"] == {"F": 1, "M": 1}
    assert found["age (patients, years)"]["median"] == 50
    assert found["dates"] == {"known": 3, "missing": 1, "first year": 2019, "last year": 2021}
    assert found["labels"]["Edema"] == {"positive": 2, "negative": 1, "uncertain": 1, "not mentioned": 0}
    assert found["report length (characters)"]["most"] == 6
    assert found["report length (characters)"]["known"] == 2
    assert found["set aside"] == {"empty file": 2}


def test_every_part_is_told_of_as_papers_do() -> None:
    whole = cohort()
    table = whole.table.assign(split=["test", "test", "test", "train"])
    found = describe(Cohort.of(table, Path()))["by split"]
    assert list(found) == ["train", "test"]
    test = found["test"]
    assert (test["patients"], test["images"]) == (1, 3)
    assert test["views (%)"] == {"PA": 66.67, "LATERAL": 33.33}
    assert test["sex (patients, %)"] == {"F": 100.0}
    assert test["age (patients, years)"] == {
        "known": 1,
        "mean": 50.0,
        "sd": 0.0,
        "median": 50.0,
        "least": 50.0,
        "most": 50.0,
    }
    assert test["findings (% of images)"]["Edema"] == 66.67
    assert found["train"]["age (patients, years)"] == {"known": 0}
    assert found["train"]["findings (% of images)"]["Edema"] == 0, "uncertain is not present"
    assert describe(whole)["by split"] == {}


def test_no_identifier_is_shown() -> None:
    text = json.dumps(describe(cohort()))
    for value in ("Doe", "Roe", "png", "s1", "2019-01-01", "sixsix"):
        assert value not in text


def test_names_of_files_set_aside_are_for_the_owner_only(tmp_path: Path) -> None:
    write_problems(cohort(), tmp_path / "list.csv")
    assert (tmp_path / "list.csv").stat().st_mode & 0o777 == 0o600
    assert pd.read_csv(tmp_path / "list.csv")["path"].tolist() == ["Doe.png", "Roe.png"]
