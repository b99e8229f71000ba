from __future__ import annotations

import numpy as np
import pytest

from medveil.cohort.input import read_cohort
from medveil.cohort.readers.nih14 import listed_findings

V2020 = (
    "Image Index,Finding Labels,Follow-up #,Patient ID,Patient Age,Patient Gender,View Position,"
    "OriginalImage[Width,Height],OriginalImagePixelSpacing[x,y]\n"
)
ROWS = [
    "00000001_000.png,Cardiomegaly,0,1,57,M,PA,2682,2749,0.143,0.143",
    "00000001_001.png,Cardiomegaly|Emphysema,1,1,58,M,PA,2894,2729,0.143,0.143",
    "00000002_000.png,No Finding,0,2,80,M,PA,2500,2048,0.171,0.171",
    "00000003_000.png,Infiltration|Mass,0,3,412,F,AP,2500,2048,0.168,0.168",
    "00000003_001.png,Pneumonia|Pleural_Thickening,1,3,74,F,AP,2500,2048,0.168,0.168",
]


@pytest.fixture
def published(tmp_path, picture):
    (tmp_path / "Data_Entry_2017_v2020.csv").write_text(V2020 + "\n".join(ROWS) + "\n")
    (tmp_path / "BBox_List_2017.csv").write_text("Image Index,Finding Label,Bbox [x,y,w,h],,,\n")
    (tmp_path / "train_val_list.txt").write_text("00000001_000.png\n00000001_001.png\n00000002_000.png")
    (tmp_path / "test_list.txt").write_text("00000003_000.png\n00000003_001.png\n")
    for folder, name in (
        ("001", "00000001_000"),
        ("001", "00000001_001"),
        ("001", "00000002_000"),
        ("012", "00000003_000"),
    ):
        picture(tmp_path / f"images_{folder}" / "images" / f"{name}.png")
    return tmp_path


def test_published_layout(published, reasons):
    cohort = read_cohort(published)
    table = cohort.table
    assert cohort.name == "nih14"
    assert list(table["path"]) == [
        "images_001/images/00000001_000.png",
        "images_001/images/00000001_001.png",
        "images_001/images/00000002_000.png",
        "images_012/images/00000003_000.png",
    ]
    assert list(table["patient_id"]) == ["00000001", "00000001", "00000002", "00000003"]
    assert list(table["split"]) == ["train", "train", "train", "test"]
    assert list(table["view"]) == ["PA", "PA", "PA", "AP"]
    assert list(table["age"][:3]) == [57, 58, 80]
    assert np.isnan(table["age"][3])
    assert reasons(cohort) == {"missing file": 1}
    assert cohort.problems[0].path == "images/00000003_001.png"
    assert cohort.image(0).shape == (8, 8)


def test_labels(published):
    table = read_cohort(published).table
    assert list(table["Cardiomegaly"]) == [1, 1, 0, 0]
    assert list(table["No Finding"]) == [0, 0, 1, 0]
    assert list(table["Lung Opacity"]) == [0, 0, 0, 1]
    assert list(table["Lung Lesion"]) == [0, 0, 0, 1]
    assert table["Fracture"].isna().all()


def test_opacity_is_open_where_another_opacity_is_listed(published, picture):
    picture(published / "images_012" / "images" / "00000003_001.png")
    row = read_cohort(published).table.iloc[-1]
    assert row["Pneumonia"] == 1
    assert row["Pleural Other"] == 1
    assert np.isnan(row["Lung Opacity"])


def test_older_table_with_ages_as_text_and_an_empty_last_column(tmp_path, picture):
    header = V2020.replace("\n", ",\n")
    (tmp_path / "Data_Entry_2017.csv").write_text(header + "00000001_000.png,Hernia,0,1,058Y,M,PA,2,2,0.1,0.1,\n")
    picture(tmp_path / "images" / "00000001_000.png")
    table = read_cohort(tmp_path).table
    assert table["age"][0] == 58
    assert table["No Finding"][0] == 0


def test_downsized_copy(tmp_path, picture, reasons):
    (tmp_path / "Data_Entry_2017_v2020.csv").write_text(V2020 + "\n".join(ROWS[:3]) + "\n,,,9,,,,,,,\n")
    (tmp_path / "split.csv").write_text(
        "image,file,patient,split\n00000001_000.png,x,y,train\n00000001_001.png,x,y,train\n00000002_000.png,x,y,val\n"
    )
    for name in ("00000001_000", "00000001_001", "00000002_000", "00000009_000"):
        picture(tmp_path / "images" / f"{name}.jpg")
    cohort = read_cohort(tmp_path)
    assert list(cohort.table["path"]) == [f"images/{row[:12]}.jpg" for row in ROWS[:3]]
    assert list(cohort.table["split"]) == ["train", "train", "val"]
    assert reasons(cohort) == {"row without path": 1, "not in the table": 1}


@pytest.mark.real_data
def test_real_data(real_data):
    cohort = read_cohort(real_data / "nih14")
    assert len(cohort) == 3334
    assert cohort.table["patient_id"].nunique() == 1024
    assert cohort.table["split"].value_counts().to_dict() == {"train": 2839, "val": 495, "test": 0}
    assert cohort.problems == ()
    assert cohort.image(100).shape == (256, 256)


def test_the_official_lists_have_a_validation_part(tmp_path, picture):
    """70 / 10 / 20 by patient, and nobody on two sides: with the shares of the real lists, on as many patients."""
    people = range(1, 1001)
    rows = [f"{n:08d}_{visit:03d}.png,No Finding,{visit},{n},50,M,PA,2,2,0.1,0.1" for n in people for visit in (0, 1)]
    (tmp_path / "Data_Entry_2017_v2020.csv").write_text(V2020 + "\n".join(rows) + "\n")
    tested = [row.split(",")[0] for row in rows if int(row[:8]) % 5 == 0]
    (tmp_path / "test_list.txt").write_text("\n".join(tested))
    (tmp_path / "train_val_list.txt").write_text("\n".join({row.split(",")[0] for row in rows} - set(tested)))
    (tmp_path / "images").mkdir()
    for row in rows:
        (tmp_path / "images" / row.split(",")[0]).touch()
    table = read_cohort(tmp_path).table
    assert table.groupby("patient_id")["split"].nunique().max() == 1
    shares = table["split"].value_counts(normalize=True)
    assert shares["test"] == 0.2
    assert shares["train"] == pytest.approx(0.7, abs=0.02)
    assert shares["val"] == pytest.approx(0.1, abs=0.02)
    assert (table["split"] == "test").sum() == len(tested)


def test_all_fourteen_findings_of_its_own(published):
    own = listed_findings(published)
    assert len(own.columns) == 14
    assert own.loc["00000001_001"].to_dict() | {"Emphysema": 1, "Cardiomegaly": 1} == own.loc["00000001_001"].to_dict()
    assert (own.loc["00000003_000", "Mass"], own.loc["00000003_000", "Nodule"]) == (1, 0)
    assert own.loc["00000002_000"].sum() == 0
