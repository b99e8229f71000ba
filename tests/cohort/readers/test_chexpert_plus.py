from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from medveil.cohort.input import read_cohort
from medveil.cohort.schema import LABELS
from medveil.errors import InputError

IMAGES = (
    "train/patient1/study1/view1_frontal",
    "train/patient1/study1/view2_lateral",
    "valid/patient2/study1/view1_frontal",
)


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "path_to_image": [f"{image}.jpg" for image in (*IMAGES, "train/patient3/study2/view1_frontal")],
            "path_to_dcm": [f"{image}.dcm" for image in (*IMAGES, "train/patient3/study2/view1_frontal")],
            "frontal_lateral": ["Frontal", "Lateral", "Frontal", "Frontal"],
            "ap_pa": ["AP", None, "PA", "AP"],
            "deid_patient_id": ["patient1", "patient1", "patient2", "patient3"],
            "patient_report_date_order": [1, 1, 1, 2],
            "report": ['NARRATIVE:\nCHEST, "1" view\n', 'NARRATIVE:\nCHEST, "1" view\n', "ok", "gone"],
            "section_impression": ["a", "a", "b", "c"],
            "age": [68.0, 68.0, 45.5, 200.0],
            "sex": ["Female", "Female", "Male", "Unknown"],
            "race": ["White"] * 4,
            "split": ["train", "train", "valid", "train"],
        }
    )


@pytest.fixture
def published(tmp_path):
    frame().to_csv(tmp_path / "df_chexpert_plus_240401.csv", index=False)
    (tmp_path / "chexbert_labels").mkdir()
    lines = [
        {
            "path_to_image": f"{IMAGES[0]}.jpg",
            **dict.fromkeys(LABELS),
            "Edema": 1.0,
            "Pneumonia": -1.0,
            "Fracture": 0.0,
        },
        {"path_to_image": f"{IMAGES[2]}.jpg", **dict.fromkeys(LABELS), "No Finding": 1.0},
    ]
    for name in ("findings_fixed", "impression_fixed"):
        (tmp_path / "chexbert_labels" / f"{name}.json").write_text('{"path_to_image": "none"}\n')
    (tmp_path / "chexbert_labels" / "report_fixed.json").write_text("\n".join(map(json.dumps, lines)) + "\n")
    return tmp_path


def test_published_layout(published, picture, reasons):
    for image in IMAGES:
        picture(published / "PNG" / f"{image}.png")
    picture(published / "PNG" / "train/patient9/study1/view1_frontal.png")
    cohort = read_cohort(published)
    table = cohort.table
    assert cohort.name == "chexpert_plus"
    assert list(table["path"]) == [f"PNG/{image}.png" for image in IMAGES]
    assert list(table["study_id"]) == ["train/patient1/study1", "train/patient1/study1", "valid/patient2/study1"]
    assert list(table["view"]) == ["AP", "LATERAL", "PA"]
    assert list(table["sex"]) == ["F", "F", "M"]
    assert list(table["split"]) == ["train", "train", "val"]
    assert list(table["age"]) == [68, 68, 45.5]
    assert table["report"][0] == 'NARRATIVE:\nCHEST, "1" view\n'
    assert (table["Edema"][0], table["Pneumonia"][0], table["Fracture"][0]) == (1, -1, 0)
    assert np.isnan(table["Cardiomegaly"][0])
    assert table[list(LABELS)].iloc[1].isna().all()
    assert table["No Finding"][2] == 1
    assert reasons(cohort) == {"missing file": 1, "not in the table": 1}


@pytest.mark.parametrize("folder", ["", "chexpert_labels"])
def test_chexpert_s_own_labels_go_before(published, picture, folder):
    for image in IMAGES:
        picture(published / "PNG" / f"{image}.png")
    (published / folder).mkdir(exist_ok=True)
    rest = {"Sex": "Female", "Age": 68, "Frontal/Lateral": "Frontal", "AP/PA": "AP"}
    for part, rows in {
        "train": [{"Path": f"CheXpert-v1.0-small/{IMAGES[0]}.jpg", **rest, "Edema": 0.0, "Atelectasis": -1.0}],
        "valid": [{"Path": f"CheXpert-v1.0/{IMAGES[2]}.jpg", **rest, "Edema": 1.0, "Atelectasis": None}],
    }.items():
        pd.DataFrame(rows).to_csv(published / folder / f"{part}.csv", index=False)
    table = read_cohort(published).table
    assert read_cohort(published).name == "chexpert_plus"
    assert (table["Edema"][0], table["Atelectasis"][0], table["Edema"][2]) == (0, -1, 1)
    assert np.isnan(table["Pneumonia"][0]) and np.isnan(table["No Finding"][2]), "nothing of CheXbert's is mixed in"
    assert table[list(LABELS)].iloc[1].isna().all()


def test_dicom_tree(published, dicom):
    for image in IMAGES:
        dicom(published / "DICOM" / f"{image}.dcm", PatientID="x")
    cohort = read_cohort(published)
    assert list(cohort.table["path"]) == [f"DICOM/{image}.dcm" for image in IMAGES]
    assert cohort.image(0).shape == (8, 8)


def test_png_goes_before_dicom_and_its_twin_is_no_stranger(published, picture, dicom, reasons):
    picture(published / "PNG" / f"{IMAGES[0]}.png")
    for image in IMAGES:
        dicom(published / "DICOM" / f"{image}.dcm", PatientID="x")
    cohort = read_cohort(published)
    assert [path[:3] for path in cohort.table["path"]] == ["PNG", "DIC", "DIC"]
    assert reasons(cohort) == {"missing file": 1}


def test_broken_labels_name_the_line(published, picture):
    picture(published / "PNG" / f"{IMAGES[0]}.png")
    (published / "chexbert_labels" / "report_fixed.json").write_text('{"path_to_image": "a"}\n{"path\n')
    with pytest.raises(InputError, match="line 2"):
        read_cohort(published)
