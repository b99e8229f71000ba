from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from medveil.cohort.input import read_cohort
from medveil.cohort.schema import LABELS
from medveil.errors import InputError

METADATA = (
    "dicom_id,subject_id,study_id,PerformedProcedureStepDescription,ViewPosition,Rows,Columns,StudyDate,StudyTime,"
    "ProcedureCodeSequence_CodeMeaning,ViewCodeSequence_CodeMeaning,PatientOrientationCodeSequence_CodeMeaning\n"
    'aa-1,10000032,50414267,"CHEST (PA AND LAT)",PA,3056,2544,21800506,213014.531,"CHEST (PA AND LAT)",pa,Erect\n'
    'aa-2,10000032,50414267,"CHEST (PA AND LAT)",LATERAL,3056,2544,21800506,32645.0,"CHEST",lateral,Erect\n'
    'bb-1,11000011,51029426,"CHEST (PORTABLE AP)",AP,2544,3056,21120708,1.0,"CHEST",antero-posterior,\n'
    "cc-1,11000011,52345678,,,2544,3056,21120709,,,,\n"
)
IMAGES = {
    "aa-1": "files/p10/p10000032/s50414267",
    "aa-2": "files/p10/p10000032/s50414267",
    "bb-1": "files/p11/p11000011/s51029426",
}
REPORT = "                                 FINAL REPORT\r\n INDICATION:  ___F with cough.\n\n IMPRESSION: Émigré\n"


def labels_csv() -> str:
    ones = ",".join(["1.0", "", "0.0", "-1.0", *[""] * 10])
    header = ",".join(sorted(LABELS))
    return f"subject_id,study_id,{header}\n10000032,50414267,{ones}\n"


def write_gz(path: Path, text: str) -> None:
    path.write_bytes(gzip.compress(text.encode()))


@pytest.fixture(params=["2.0.0", "2.1.0"])
def jpg(tmp_path, picture, request):
    version = request.param
    write_gz(tmp_path / f"mimic-cxr-{version}-metadata.csv.gz", METADATA)
    write_gz(tmp_path / f"mimic-cxr-{version}-chexpert.csv.gz", labels_csv())
    write_gz(
        tmp_path / f"mimic-cxr-{version}-split.csv.gz",
        "dicom_id,study_id,subject_id,split\naa-1,50414267,10000032,train\naa-2,50414267,10000032,train\n"
        "bb-1,51029426,11000011,validate\n",
    )
    for image, folder in IMAGES.items():
        picture(tmp_path / folder / f"{image}.jpg")
    return tmp_path


def add_reports(root: Path) -> None:
    (root / "files/p10/p10000032").mkdir(parents=True, exist_ok=True)
    (root / "files/p10/p10000032/s50414267.txt").write_bytes(REPORT.encode())


def test_jpg_layout(jpg, reasons):
    add_reports(jpg)
    cohort = read_cohort(jpg)
    table = cohort.table
    assert cohort.name == "mimic_cxr"
    assert list(table["image_id"]) == ["aa-1", "aa-2", "bb-1"]
    assert list(table["patient_id"]) == ["10000032", "10000032", "11000011"]
    assert list(table["study_id"]) == ["50414267", "50414267", "51029426"]
    assert list(table["view"]) == ["PA", "LATERAL", "AP"]
    assert list(table["split"]) == ["train", "train", "val"]
    assert list(table["date"]) == [
        pd.Timestamp("2180-05-06 21:30:14"),
        pd.Timestamp("2180-05-06 03:26:45"),
        pd.Timestamp("2112-07-08 00:00:01"),
    ]
    assert table["report"][0] == table["report"][1] == REPORT
    assert pd.isna(table["report"][2])
    first = dict(zip(sorted(LABELS), (1, np.nan, 0, -1, *[np.nan] * 10), strict=True))
    assert all(table[label][0] == value or np.isnan(value) for label, value in first.items())
    assert table[list(LABELS)].iloc[2].isna().all()
    assert reasons(cohort) == {"missing file": 1}
    assert cohort.problems[0].path == "files/p11/p11000011/s52345678/cc-1"


def test_reports_extracted_into_their_own_folder(jpg):
    add_reports(jpg / "mimic-cxr-reports")
    assert read_cohort(jpg).table["report"][0] == REPORT


def test_an_image_without_a_row(jpg, picture, reasons):
    picture(jpg / "files/p10/p10000032/s50414267/zz-9.jpg")
    assert reasons(read_cohort(jpg)) == {"missing file": 1, "not in the table": 1}


def test_a_report_that_is_not_text(jpg, reasons):
    add_reports(jpg)
    (jpg / "files/p10/p10000032/s50414267.txt").write_bytes(b"\xff\xfe\x00")
    cohort = read_cohort(jpg)
    assert reasons(cohort)["text of unknown encoding"] == 1
    assert cohort.table["report"].isna().all()


def test_a_table_that_lists_an_image_twice_names_row_and_column(jpg):
    path = next(jpg.glob("*-metadata.csv.gz"))
    write_gz(path, METADATA + METADATA.splitlines()[1] + "\n")
    with pytest.raises(InputError, match="row 5, column") as caught:
        read_cohort(jpg)
    assert "aa-1" not in str(caught.value)


def test_dicom_tree_takes_views_and_dates_from_headers(tmp_path, dicom, reasons):
    (tmp_path / "cxr-record-list.csv.gz").write_bytes(gzip.compress(b"subject_id,study_id,dicom_id,path\n"))
    for image, folder in IMAGES.items():
        dicom(
            tmp_path / folder / f"{image}.dcm",
            SOPInstanceUID="1.2.3",
            PatientID="10000032",
            StudyDate="21800506",
            ViewPosition="LL" if image == "aa-2" else "PA",
        )
    add_reports(tmp_path)
    (tmp_path / "files/p10/p10000032/s50414267/broken.dcm").write_bytes(b"nothing")
    cohort = read_cohort(tmp_path)
    assert list(cohort.table["view"]) == ["PA", "LATERAL", "PA"]
    assert list(cohort.table["image_id"]) == ["aa-1", "aa-2", "bb-1"]
    assert cohort.table["report"][1] == REPORT
    assert cohort.table["date"][0] == pd.Timestamp("2180-05-06")
    assert reasons(cohort) == {"not a DICOM file": 1}
    assert cohort.image(2).shape == (8, 8)
