from __future__ import annotations

import numpy as np
import pytest

from medveil.cohort.input import read_cohort
from medveil.cohort.readers.odir import DIAGNOSES, diagnoses

HEADER = (
    "ID,Patient Age,Patient Sex,Left-Fundus,Right-Fundus,Left-Diagnostic Keywords,Right-Diagnostic Keywords,"
    "N,D,G,C,A,H,M,O"
)


def test_both_eyes_of_a_person_belong_together(tmp_path, picture, reasons):
    rows = (
        "7,53,Female,7_left.jpg,7_right.jpg,normal fundus,cataract,0,0,0,1,0,0,0,0,train\n"
        "8,40,Male,8_left.jpg,8_right.jpg,normal fundus,normal fundus,1,0,0,0,0,0,0,0,val\n"
    )
    (tmp_path / "full_df.csv").write_text(f"{HEADER},split\n{rows}")
    for name in ("7_left", "7_right", "8_left", "stranger"):
        picture(tmp_path / "images" / f"{name}.jpg")
    cohort = read_cohort(tmp_path)
    assert cohort.name == "odir"
    assert list(cohort.table["image_id"]) == ["7_left", "7_right", "8_left"]
    assert list(cohort.table["patient_id"]) == ["7", "7", "8"]
    assert list(cohort.table["report"]) == ["normal fundus", "cataract", "normal fundus"]
    assert list(cohort.table["split"]) == ["train", "train", "val"]
    assert list(cohort.table["sex"]) == ["F", "F", "M"]
    assert reasons(cohort) == {"missing file": 1, "not in the table": 1}
    told = diagnoses(cohort)
    assert [list(DIAGNOSES.values())[k] for k in told.argmax(1)] == ["cataract", "cataract", "normal"]


def test_one_row_an_eye_is_one_person(tmp_path, picture):
    row = "7,53,Female,7_left.jpg,7_right.jpg,normal fundus,cataract,0,0,0,1,0,0,0,0"
    (tmp_path / "full_df.csv").write_text(f"{HEADER},filename\n{row},7_left.jpg\n{row},7_right.jpg\n")
    for name in ("7_left", "7_right"):
        picture(tmp_path / "preprocessed_images" / f"{name}.jpg")
    cohort = read_cohort(tmp_path)
    assert list(cohort.table["path"]) == ["preprocessed_images/7_left.jpg", "preprocessed_images/7_right.jpg"]
    assert cohort.problems == ()


@pytest.mark.real_data
def test_real_data(real_data):
    cohort = read_cohort(real_data / "odir")
    assert (len(cohort), cohort.table["patient_id"].nunique(), cohort.problems) == (2184, 1092, ())
    told = diagnoses(cohort)
    assert told.shape == (2184, 8) and np.isin(told, (0, 1)).all()
