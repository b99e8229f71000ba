from __future__ import annotations

import os
import shutil
from pathlib import Path

import pydicom
import pytest

from medveil.cohort.input import read_cohort
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
    assert list(table["path"]) == ["a/IM0001", *["b/cine.dcm"] * 3]
    assert list(table["frame"]) == [0, 0, 1, 2]
    assert list(table["image_id"]) == ["1.2.1.1", "1.2.2.1", "1.2.2.1#1", "1.2.2.1#2"]
    assert list(table["report"]) == ["FINDINGS: clear.\n", *["cine report"] * 3]
    assert reasons(cohort) == {
        "repeats another image": 1,
        "no patient id": 1,
        "no pixel data": 1,
        "empty file": 1,
        "not a DICOM file": 1,
        "not a regular file": 1,
        "link not followed": 2,
        "report without image": 1,
    }
    assert steps[-1] == (7, 7)
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
    with pytest.raises(InputError, match="no readable DICOM image"):
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
