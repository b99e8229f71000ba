from __future__ import annotations

import os
import shutil
from pathlib import Path

import pydicom
import pytest

from medveil.cohort.input import OWN, InputOptions, read_cohort, read_source
from medveil.errors import InputError

SHIPPED = Path(pydicom.__file__).parent / "data" / "test_files"


@pytest.fixture
def folder(tmp_path, dicom):
    root = tmp_path / "hospital"
    common = {"PatientID": "P1", "StudyInstanceUID": "1.2.1", "ViewPosition": "PA", "PatientSex": "F"}
    dicom(root / "a" / "IM0001", SOPInstanceUID="1.2.1.1", **common)
    dicom(root / "a" / "copy.dcm", SOPInstanceUID="1.2.1.1", **common)
    dicom(root / "b" / "cine.dcm", SOPInstanceUID="1.2.2.1", PatientID="P2", StudyInstanceUID="1.2.2", NumberOfFrames=3)
    dicom(root / "b" / "nobody.dcm", SOPInstanceUID="1.2.3.1", StudyInstanceUID="1.2.3")
    dicom(root / "b" / "report.dcm", SOPInstanceUID="1.2.4.1", Rows=None, Columns=None, PixelData=None)
    (root / "b" / "empty.dcm").touch()
    (root / "b" / "notes.pdf").write_text("%PDF")
    (root / "1.2.1.txt").write_text("FINDINGS: clear.\n")
    (root / "b" / "cine.txt").write_text("cine report")
    (root / "b" / "stray.txt").write_text("of no image")
    os.mkfifo(root / "pipe")
    (root / "up").symlink_to(tmp_path)
    (tmp_path / "outside.dcm").write_bytes((root / "a" / "IM0001").read_bytes())
    (root / "out.dcm").symlink_to(tmp_path / "outside.dcm")
    return root


def test_any_tree(folder, reasons):
    steps = []
    cohort = read_cohort(folder, progress=lambda done, total: steps.append((done, total)))
    table = cohort.table
    assert list(table["path"]) == ["a/IM0001", *["b/cine.dcm"] * 3, "b/nobody.dcm"]
    assert list(table["frame"]) == [0, 0, 1, 2, 0]
    assert list(table["image_id"]) == ["1.2.1.1", "1.2.2.1", "1.2.2.1#1", "1.2.2.1#2", "1.2.3.1"]
    assert list(table["report"])[:4] == ["FINDINGS: clear.\n", *["cine report"] * 3]
    assert table["patient_id"].iat[4] == f"{OWN}study 1.2.3"
    assert reasons(cohort) == {
        "repeats another image": 1,
        "no pixel data": 1,
        "empty file": 1,
        "not a kind of file that can be cleaned": 1,
        "not a regular file": 1,
        "link not followed": 2,
        "report without image": 1,
    }
    assert steps[-1] == (10, 10)
    assert cohort.image(3).shape == (8, 8)


def test_the_same_folder_gives_the_same_table(folder):
    assert read_cohort(folder).table.equals(read_cohort(folder).table)


def test_dicomdir_tells_what_is_missing(tmp_path, reasons):
    shutil.copytree(SHIPPED / "dicomdirtests" / "TINY_ALPHA", tmp_path / "disc")
    whole = reasons(read_cohort_or_problems(tmp_path / "disc"))
    gone = next(path for path in (tmp_path / "disc" / "PT000000").rglob("IM*"))
    gone.unlink()
    after = reasons(read_cohort_or_problems(tmp_path / "disc"))
    assert whole.get("missing file", 0) == 0
    assert after["missing file"] == 1


def read_cohort_or_problems(path):
    # The disc's images carry no pixels: one that does makes it a cohort.
    shutil.copy(SHIPPED / "MR_small.dcm", path / "MR")
    return read_cohort(path)


def test_a_folder_without_images_is_one_sentence(tmp_path, dicom):
    dicom(tmp_path / "a.dcm", Rows=None, Columns=None, PixelData=None)
    with pytest.raises(InputError, match="holds no image that could be used"):
        read_cohort(tmp_path)


def test_file_names_that_are_not_text(tmp_path, dicom, reasons):
    dicom(tmp_path / "a.dcm", SOPInstanceUID="1.2.1.1", PatientID="P1", StudyInstanceUID="1.2.1")
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.dcm"))).write_bytes(b"x")
    cohort = read_cohort(tmp_path)
    assert len(cohort) == 1
    assert reasons(cohort) == {"file name is not text": 1}


def test_a_damaged_file_never_stops_the_others(tmp_path, dicom, reasons):
    for number in range(40):
        dicom(tmp_path / f"{number:02d}", SOPInstanceUID=f"1.2.{number}", PatientID="P", StudyInstanceUID="1.3")
    for number in range(0, 40, 4):
        path = tmp_path / f"{number:02d}"
        path.write_bytes(path.read_bytes()[:200])
    cohort = read_cohort(tmp_path)
    assert len(cohort) == 30
    assert sum(reasons(cohort).values()) == 10


def test_reports_are_linked_for_the_table_as_for_the_files(tmp_path, dicom):
    """By the study's number in the name, by numbers in the text, by the folder; not by the file's name alone."""
    common = {"PatientID": "P1"}
    for number in range(4):
        uid = f"1.2.{number}"
        place = tmp_path / f"s{number}" / "IM1"
        dicom(place, StudyInstanceUID=uid, SOPInstanceUID=f"{uid}.1", AccessionNumber=f"ACC7000{number}", **common)
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "ACC70000.txt").write_text("by number")
    (tmp_path / "reports" / "one.txt").write_text("Accession: ACC70001. by text")
    (tmp_path / "s2" / "report.txt").write_text("by folder")
    (tmp_path / "reports" / "nobody.txt").write_text("of nobody")
    source = read_source(tmp_path)
    linked = {file.path: file.study for file in source.files if file.kind == "report"}
    assert linked == {
        "reports/ACC70000.txt": "1.2.0",
        "reports/one.txt": "1.2.1",
        "reports/nobody.txt": "",
        "s2/report.txt": "1.2.2",
    }
    table = source.cohort.table.set_index("study_id")
    assert dict(table["report"].dropna()) == {
        "1.2.0": "by number",
        "1.2.1": "Accession: ACC70001. by text",
        "1.2.2": "by folder",
    }
    assert [problem.reason for problem in source.cohort.problems] == ["report without image"]


def test_pictures_and_their_reports_by_name(tmp_path, picture):
    for name in ("a", "b"):
        picture(tmp_path / f"{name}.png")
        (tmp_path / f"{name}.txt").write_text(f"report of {name}")
    source = read_source(tmp_path)
    table = source.cohort.table
    assert list(table["report"]) == ["report of a", "report of b"]
    assert list(table["patient_id"]) == [f"{OWN}document a.png", f"{OWN}document b.png"]
    assert {file.path: file.patient for file in source.files} == {
        f"{name}.{ending}": f"{OWN}document {name}.png" for name in ("a", "b") for ending in ("png", "txt")
    }
    assert all(file.own for file in source.files)


def test_a_report_is_no_report_of_all_studies(tmp_path, dicom):
    for number in range(2):
        dicom(
            tmp_path / f"{number}.dcm",
            PatientID="P77777",
            StudyInstanceUID=f"1.2.{number}",
            SOPInstanceUID=f"1.3.{number}",
        )
    (tmp_path / "P77777.txt").write_text("which of the two?")
    cohort = read_cohort(tmp_path)
    assert cohort.table["report"].isna().all()
    assert [problem.reason for problem in cohort.problems] == ["report without image"]


def test_a_layout_says_whose_its_files_are(tmp_path, picture):
    (tmp_path / "Data_Entry_2017.csv").write_text(
        "Image Index,Finding Labels,Follow-up #,Patient ID,Patient Age,Patient Gender,View Position\n"
        "00000001_000.png,Hernia,0,1,058Y,M,PA\n00000001_001.png,Hernia,1,1,058Y,M,PA\n00000002_000.png,Hernia,0,2,8Y,M,PA\n"
    )
    for name in ("00000001_000", "00000001_001", "00000002_000"):
        picture(tmp_path / "images" / f"{name}.png")
    source = read_source(tmp_path)
    images = {file.path: (file.patient, file.own) for file in source.files if file.kind == "image"}
    assert images == {
        "images/00000001_000.png": ("00000001", False),
        "images/00000001_001.png": ("00000001", False),
        "images/00000002_000.png": ("00000002", False),
    }
    with pytest.raises(InputError, match="--map"):
        _ = read_source(tmp_path, options=InputOptions.of(["age=Patient Age"])).files


def test_named_layouts_take_their_part_of_a_mixture(tmp_path, dicom, picture):
    dicom(tmp_path / "a.dcm", PatientID="P1", StudyInstanceUID="1.2", SOPInstanceUID="1.3", PatientSex="F")
    picture(tmp_path / "b.png")
    picture(tmp_path / "c.png")
    (tmp_path / "t.csv").write_text("path,patient_id\na.dcm,X\nb.png,Y\n")
    everything = read_cohort(tmp_path).table
    assert list(everything["patient_id"]) == ["X", "Y", f"{OWN}document c.png"]
    alone = read_cohort(tmp_path, layout="csv").table
    assert list(alone["patient_id"]) == ["X", "Y"] and alone["sex"].isna().all()
    headers = read_cohort(tmp_path, layout="dicom")
    assert list(headers.table["patient_id"]) == ["P1"]
    assert {problem.path: problem.reason for problem in headers.problems} == dict.fromkeys(
        ("b.png", "c.png", "t.csv"), "not a DICOM file"
    )
