"""Tables of images: what they may be called, how they may be written, and what becomes of their bad rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from medveil.cohort.input import InputOptions, read_cohort, read_source
from medveil.cohort.tables.dialect import BROKEN, OPEN_QUOTE
from medveil.errors import InputError, SettingsError


def test_aliases_and_values(tmp_path, picture):
    picture(tmp_path / "pictures" / "a.png")
    picture(tmp_path / "pictures" / "b.png")
    (tmp_path / "table.csv").write_text(
        "Image Path,Subject ID,Study,Gender,Age,View Position,Study Date,Split,Report,Pleural Effusion,Favourite\n"
        'pictures/a.png,007,s1,female,045Y,AP portable,20200102,validation,"Line one,\nline ""two"" ",1.0,x\n'
        "./pictures/b.png,007,s1,?,,LL,2020-01-03T04:05:06,validation,,-1,y\n"
        "pictures/gone.png,8,s2,M,1,PA,,train,,,\n"
        "../outside.png,8,s2,M,1,PA,,train,,,\n"
        ",9,s3,M,1,PA,,train,,,\n"
    )
    for path in (tmp_path, tmp_path / "table.csv"):
        cohort = read_cohort(path)
        table = cohort.table
        assert list(table["path"]) == ["pictures/a.png", "pictures/b.png"]
        assert list(table["patient_id"]) == ["007", "007"]
        assert table["sex"][0] == "F"
        assert pd.isna(table["sex"][1])
        assert table["age"][0] == 45
        assert np.isnan(table["age"][1])
        assert list(table["view"]) == ["AP", "LATERAL"]
        assert list(table["split"]) == ["val", "val"]
        assert list(table["date"]) == [pd.Timestamp("2020-01-02"), pd.Timestamp("2020-01-03 04:05:06")]
        assert table["report"][0] == 'Line one,\nline "two" '
        assert list(table["Pleural Effusion"]) == [1, -1]
        told = {problem.path: problem.reason for problem in cohort.problems}
        assert told == {
            "row 4 of table.csv": "missing file",
            "row 5 of table.csv": "path leads outside the folder",
            "row 6 of table.csv": "row without path",
        }


def test_the_needed_column_is_named(tmp_path):
    (tmp_path / "t.csv").write_text("path,colour\na.png,red\n")
    with pytest.raises(InputError, match=r"no patient_id column.*--map"):
        read_cohort(tmp_path / "t.csv")


GOOD = {"a": "a.png,1,x,s,13/01/2020,1", "c": "c.png,3,z,t,1/12/2020,0"}


@pytest.mark.parametrize(
    ("row", "reasons"),
    [
        ("a.png,1,x,s,,", {3: "row that repeats another"}),
        ("a.png,2,x,s,,", dict.fromkeys((2, 3), "rows that disagree on whose file it is")),
        ("b.png,1,x,s,,", {3: "repeats another image"}),
        ("b.png,2,y,s,,", dict.fromkeys((2, 3), "study of two patients")),
        ("b.png,2,y,r,,maybe", {3: "row with an unreadable label"}),
        ("b.png,2,y,r,31/31/2020,", {3: "row with an unreadable date"}),
        ("b.png,,y,r,,", {3: "row without patient id"}),
        ("gone.png,2,y,r,,", {3: "missing file"}),
        ("b.png,2,y,r,,1,7", {3: BROKEN}),
        ('b.png,2,"y,r,,1', {3: OPEN_QUOTE}),
    ],
)
def test_a_bad_row_is_set_aside_with_its_number(tmp_path, picture, row, reasons):
    for name in "abc":
        picture(tmp_path / f"{name}.png")
    header = "path,patient_id,image_id,study_id,date,edema"
    (tmp_path / "t.csv").write_text("\n".join([header, GOOD["a"], row, GOOD["c"]]) + "\n")
    source = read_source(tmp_path / "t.csv")
    assert "3" in set(source.cohort.table["patient_id"])
    told = {problem.path: problem.reason for problem in source.cohort.problems}
    assert told == {f"row {number} of t.csv": reason for number, reason in reasons.items()}


def test_a_file_whose_row_was_set_aside_does_not_come_in_by_another_way(tmp_path, picture):
    for name in "ab":
        picture(tmp_path / f"{name}.png")
    (tmp_path / "t.csv").write_text("path,patient_id,age\na.png,1,40\nb.png,2,very old\n")
    source = read_source(tmp_path)
    assert [file.path for file in source.files] == ["a.png", "t.csv"]
    assert list(source.cohort.table["path"]) == ["a.png"]
    told = [("row 3 of t.csv", "row with an unreadable age")]
    assert [(problem.path, problem.reason) for problem in source.problems] == told


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00\x01", b'path,patient_id\n"a.png,1\n'])
def test_broken_tables_are_one_sentence(tmp_path, content):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(InputError):
        read_cohort(tmp_path / "t.csv")


ROWS = [("path", "patient_id", "date", "report"), ("img/a.png", "007", "2020-03-04", "Größe; klar, gut.")]


def as_csv(delimiter: str, first: str = "") -> str:
    return first + "".join(delimiter.join(f'"{cell}"' for cell in row) + "\r\n" for row in ROWS)


def as_workbook(path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(list(ROWS[0]))
    book.active.append(list(ROWS[1]))
    book.save(path)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("first", ["", "sep={}\r\n"])
def test_any_dialect_of_csv(tmp_path, picture, delimiter, encoding, first):
    picture(tmp_path / "img" / "a.png")
    (tmp_path / "t.csv").write_bytes(as_csv(delimiter, first.format(delimiter)).encode(encoding))
    for path in (tmp_path, tmp_path / "t.csv"):
        row = read_cohort(path).table.iloc[0]
        assert (row["patient_id"], row["report"], row["date"]) == ("007", ROWS[1][3], pd.Timestamp("2020-03-04"))


def test_a_workbook(tmp_path, picture):
    picture(tmp_path / "img" / "a.png")
    as_workbook(tmp_path / "t.xlsx")
    for path in (tmp_path, tmp_path / "t.xlsx"):
        row = read_cohort(path).table.iloc[0]
        assert (row["patient_id"], row["report"], row["date"]) == ("007", ROWS[1][3], pd.Timestamp("2020-03-04"))


@pytest.mark.parametrize(
    "written",
    [
        "C:\\export\\img\\a.png",
        "\\\\server\\share\\img\\a.png",
        "D:\\elsewhere\\A.PNG",
        "/mnt/old/img/a.png",
        "IMG\\A.png",
        "./img//a.png",
        "a.png",
        "a",
        "a.dcm",
    ],
)
def test_paths_from_another_computer(tmp_path, picture, written):
    picture(tmp_path / "img" / "a.png")
    (tmp_path / "t.csv").write_text(f"path,patient_id\n{written},1\n")
    for path in (tmp_path, tmp_path / "t.csv"):
        assert list(read_cohort(path).table["path"]) == ["img/a.png"]


def test_an_absolute_path_inside_the_folder(tmp_path, picture):
    picture(tmp_path / "a.png")
    (tmp_path / "t.csv").write_text(f"path,patient\n{tmp_path / 'a.png'},1\n")
    assert list(read_cohort(tmp_path / "t.csv").table["path"]) == ["a.png"]


def test_a_table_of_files_that_lie_elsewhere_is_one_sentence(tmp_path, picture):
    picture(tmp_path / "far" / "a.png")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "t.csv").write_text(f"path,patient_id\n{tmp_path / 'far' / 'a.png'},1\n")
    with pytest.raises(InputError, match="name the folder that holds both"):
        read_cohort(tmp_path / "here" / "t.csv")


def test_rows_that_lead_out_are_set_aside_among_others(tmp_path, picture):
    picture(tmp_path / "far" / "b.png")
    picture(tmp_path / "here" / "a.png")
    (tmp_path / "here" / "t.csv").write_text(f"path,patient_id\na.png,1\n{tmp_path / 'far' / 'b.png'},1\n")
    cohort = read_cohort(tmp_path / "here" / "t.csv")
    told = [("row 3 of t.csv", "path leads outside the folder")]
    assert [(problem.path, problem.reason) for problem in cohort.problems] == told


def test_columns_the_user_maps(tmp_path, picture):
    picture(tmp_path / "a.png")
    (tmp_path / "t.csv").write_text("Datei;Patientennummer;Aufnahme;Pleuraerguss\na.png;7;03.04.2020;1\n")
    maps = ["path=Datei", "patient_id=Patientennummer", "date=Aufnahme", "pleural effusion=Pleuraerguss"]
    options = InputOptions.of(maps, "day-first")
    row = read_cohort(tmp_path, options=options).table.iloc[0]
    assert (row["patient_id"], row["date"], row["Pleural Effusion"]) == ("7", pd.Timestamp("2020-04-03"), 1)
    with pytest.raises(InputError, match="no table has a column called Datum"):
        read_cohort(tmp_path, options=InputOptions.of(["date=Datum"]))


@pytest.mark.parametrize(
    ("words", "message"),
    [(["colour=Farbe"], "no column colour"), (["path"], "patient_id=NAME"), (["age=a", "age=b"], "mapped twice")],
)
def test_maps_that_make_no_sense(words, message):
    with pytest.raises(SettingsError, match=message):
        InputOptions.of(words)
    with pytest.raises(SettingsError, match="day-first, month-first"):
        InputOptions.of(date_order="year-first")


def test_dates_that_no_column_decides_are_asked_for(tmp_path, picture):
    picture(tmp_path / "a.png")
    (tmp_path / "t.csv").write_text("path,patient_id,date\na.png,1,03/04/2020\n")
    with pytest.raises(InputError, match="--date-order"):
        read_cohort(tmp_path)
    for order, month in (("day-first", 4), ("month-first", 3)):
        table = read_cohort(tmp_path, options=InputOptions.of(date_order=order)).table
        assert table["date"][0].month == month


def test_a_table_of_patients_makes_as_many_persons(tmp_path, picture):
    lines = ["filename,patient_id"]
    for number in range(99):
        picture(tmp_path / "images" / f"x{number}.png")
        lines.append(f"x{number}.png,P{number % 27}")
    (tmp_path / "patients.csv").write_text("\n".join(lines))
    source = read_source(tmp_path)
    images = [file for file in source.files if file.kind == "image"]
    assert (len(images), len({file.patient for file in images})) == (99, 27)
    assert not any(file.own for file in images)
    assert source.cohort.table["patient_id"].nunique() == 27


def test_a_table_gives_patients_to_dicom_files(tmp_path, dicom):
    """The header says less than the table: all files of the export carry one id."""
    for number in range(3):
        uid = f"1.2.{number}"
        dicom(tmp_path / f"{number}.dcm", PatientID="ANON", StudyInstanceUID=uid, SOPInstanceUID=uid, PatientSex="F")
    (tmp_path / "t.csv").write_text("file,mrn,edema\n0.dcm,A,1\n1.dcm,A,0\n2.dcm,B,\n")
    source = read_source(tmp_path)
    assert [file.patient for file in source.files if file.kind == "dicom"] == ["A", "A", "B"]
    table = source.cohort.table
    assert list(table["patient_id"]) == ["A", "A", "B"]
    assert list(table["study_id"]) == ["1.2.0", "1.2.1", "1.2.2"]
    assert list(table["sex"]) == ["F"] * 3
    assert list(table["Edema"])[:2] == [1, 0]


def test_a_table_by_accession_number(tmp_path, dicom, picture):
    """A RIS export knows no paths: studies are found by their number, in headers and in names."""
    dicom(
        tmp_path / "a.dcm", StudyInstanceUID="1.2.1", SOPInstanceUID="1.1", PatientID="P1", AccessionNumber="ACC-00017"
    )
    picture(tmp_path / "ACC00018.png")
    (tmp_path / "ris.csv").write_text(
        "Accession Number;Patient ID;Report\nACC00017;P1;Clear.\nACC00018;P2;Effusion.\nACC00019;P3;Not here.\n"
    )
    source = read_source(tmp_path)
    assert {file.path: file.patient for file in source.files if file.kind != "csv"} == {
        "a.dcm": "P1",
        "ACC00018.png": "P2",
    }
    table = source.cohort.table.set_index("path")
    assert dict(table["report"]) == {"a.dcm": "Clear.", "ACC00018.png": "Effusion."}
    assert not source.cohort.problems


def test_files_of_one_patient_stay_together_where_a_table_names_some(tmp_path, dicom):
    for number in range(2):
        dicom(tmp_path / f"{number}.dcm", PatientID="MRN9", StudyInstanceUID="1.2", SOPInstanceUID=f"1.2.{number}")
    (tmp_path / "t.csv").write_text("path,patient_id\n0.dcm,study-subject-1\n")
    assert {file.patient for file in read_source(tmp_path).files if file.kind == "dicom"} == {"study-subject-1"}
