from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from medveil.cohort.input import read_cohort
from medveil.cohort.schema import LABELS
from medveil.errors import InputError

TRAIN = (
    "train/patient00001/study1/view1_frontal",
    "train/patient00002/study2/view1_frontal",
    "train/patient00002/study2/view2_lateral",
    "train/patient00003/study1/view1_frontal",
)
VALID = ("valid/patient64541/study1/view1_frontal",)


def table(images: tuple[str, ...], folder: str, **columns: list[object]) -> pd.DataFrame:
    rows = {
        "Path": [f"{folder}/{image}.jpg" for image in images],
        "Sex": ["Female", "Male", "Male", "Unknown"][: len(images)],
        "Age": [68, 87, 87, 0][: len(images)],
        "Frontal/Lateral": ["Lateral" if "lateral" in image else "Frontal" for image in images],
        "AP/PA": ["AP", "PA", None, "LL"][: len(images)],
        **dict.fromkeys(LABELS, None),
    }
    return pd.DataFrame(rows | columns)


@pytest.fixture(params=["CheXpert-v1.0", "CheXpert-v1.0-small"])
def published(tmp_path, picture, request):
    edema = {"Edema": [1.0, -1.0, 0.0, None]}
    table(TRAIN, request.param, **edema).to_csv(tmp_path / "train.csv", index=False)
    table(VALID, request.param).to_csv(tmp_path / "valid.csv", index=False)
    for image in (*TRAIN[:3], *VALID, "valid/patient64542/study1/view1_frontal"):
        picture(tmp_path / f"{image}.jpg")
    return tmp_path


def test_published_layout(published, reasons):
    cohort = read_cohort(published)
    read = cohort.table
    assert cohort.name == "chexpert"
    assert list(read["path"]) == [f"{image}.jpg" for image in (*TRAIN[:3], *VALID)]
    assert list(read["patient_id"]) == ["patient00001", "patient00002", "patient00002", "patient64541"]
    assert list(read["study_id"])[1:3] == ["train/patient00002/study2"] * 2
    assert list(read["view"]) == ["AP", "PA", "LATERAL", "AP"]
    assert list(read["sex"]) == ["F", "M", "M", "F"]
    assert list(read["split"]) == ["train", "train", "train", "val"]
    assert list(read["age"]) == [68, 87, 87, 68]
    assert list(read["Edema"][:3]) == [1, -1, 0]
    assert np.isnan(read["Cardiomegaly"][0])
    assert reasons(cohort) == {"missing file": 1, "not in the table": 1}
    assert cohort.image(3).shape == (8, 8)


def test_a_table_alone_is_enough(published):
    (published / "valid.csv").unlink()
    assert set(read_cohort(published).table["split"]) == {"train"}


def test_other_peoples_tables_are_not_taken_for_it(tmp_path, picture):
    picture(tmp_path / "images" / "a.png")
    (tmp_path / "train.csv").write_text("image,patient_id\nimages/a.png,1\n")
    assert read_cohort(tmp_path).name != "chexpert"
    with pytest.raises(InputError, match=r"train\.csv"):
        read_cohort(tmp_path, layout="chexpert")
