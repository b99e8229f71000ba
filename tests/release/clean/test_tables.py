"""Tables of reports and structured reports: the text is cleaned, the patient becomes the pseudonym, the rest goes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import cv2
import numpy as np
import pydicom
import pytest
from openpyxl import Workbook, load_workbook
from pydicom.dataset import Dataset

from medveil.errors import InputError, SettingsError
from medveil.release.clean import deid_defenses
from medveil.release.verify.quarantine import name_withheld

from .conftest import KEYS, save  # type: ignore[import-not-found]

REPORT = "John Pemberton was seen on 02/20/2024. Lungs are clear."


def test_a_csv_of_reports_shares_its_patients_with_the_images(tmp_path: Path, write_dicom, clean) -> None:
    write_dicom(tmp_path / "in/x.dcm")
    table = tmp_path / "in/reports.csv"
    table.write_text(f'patient_id,name,report\nMR-0012345,John Pemberton,"{REPORT}"\n9,Ann Smith,Miss Smith is well.\n')
    made = clean(tmp_path / "in")
    header = pydicom.dcmread(made.files("dcm")[0], stop_before_pixels=True)
    with made.files("csv")[0].open() as file:
        first, second = csv.DictReader(file)
    assert first["patient_id"] == header.PatientID == KEYS.pseudonym("patient", "MR-0012345")
    family, given = str(header.PatientName).split("^")
    day = f"{header.StudyDate[4:6]}/{header.StudyDate[6:]}/{header.StudyDate[:4]}"
    assert first["report"] == f"{given} {family} was seen on {day}. Lungs are clear."
    assert set(first) == {"patient_id", "report"}
    assert "Smith" not in second["report"]
    assert made.outcome.exit_code == 0


def test_lines_of_json_with_named_fields(tmp_path: Path, clean) -> None:
    (tmp_path / "in").mkdir()
    rows = [{"who": "77", "study": {"text": "Mrs. Abernathy, born 3/4/1950, is well.", "view": "PA"}, "secret": "x"}]
    (tmp_path / "in/r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = clean(tmp_path / "in", report_columns=("study.text",), patient_column="who", keep_columns=("study.view",))
    (line,) = made.files("jsonl")[0].read_text().splitlines()
    row = json.loads(line)
    assert row["who"] == KEYS.pseudonym("patient", "77")
    assert row["study"]["view"] == "PA"
    assert "Abernathy" not in line and "3/4/1950" not in line and "secret" not in line


def test_a_column_that_is_nowhere_is_an_error(tmp_path: Path, clean) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/r.csv").write_text("patient_id,report\n1,Clear.\n")
    with pytest.raises(InputError, match="no table has a column called reprot"):
        clean(tmp_path / "in", report_columns=("reprot",))


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (b"patient_id,report,report\n1,Pemberton,Pemberton\n", "table with two columns of one name"),
        (b"patient_id,report,x,x\n1,Pemberton,1,2\n", "table with two columns of one name"),
        (b"path,patient_id,sex\nx.dcm,1,F\n", "if it holds reports, name theirs with --report-column"),
        (b"patient_id,report\n1," + b"x" * (1 << 24) + b"y\n", "no row could be cleaned"),
    ],
)
def test_a_broken_table_stays_behind_and_stops_nothing(
    tmp_path: Path, write_dicom, clean, table: bytes, reason: str
) -> None:
    write_dicom(tmp_path / "in/x.dcm")
    (tmp_path / "in/r.csv").write_bytes(table)
    made = clean(tmp_path / "in")
    assert (made.outcome.released, made.outcome.withheld) == (1, 1)
    assert reason in (made.out / "quarantine.csv").read_text()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-32"])
def test_a_table_as_spreadsheets_export_it(tmp_path: Path, clean, encoding: str) -> None:
    (tmp_path / "in").mkdir()
    rows = f"patient_id\tname\treport\r\n7\tJohn Pemberton\t{REPORT}\r\n"
    (tmp_path / "in/r.tsv").write_bytes(rows.encode(encoding))
    made = clean(tmp_path / "in")
    text = made.files("csv")[0].read_bytes().decode(encoding)
    assert text.startswith("patient_id\treport\r\n") and "Lungs are clear." in text
    assert "Pemberton" not in text


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_table_comes_back_with_its_first_line(tmp_path: Path, clean, delimiter: str) -> None:
    (tmp_path / "in").mkdir()
    rows = [f"sep={delimiter}", delimiter.join(("Patient ID", "Report")), delimiter.join(("7", REPORT))]
    (tmp_path / "in/r.csv").write_text("\r\n".join(rows) + "\r\n", newline="")
    made = clean(tmp_path / "in")
    first, header, row = made.files("csv")[0].read_bytes().decode().split("\r\n")[:3]
    assert (first, header) == (rows[0], rows[1])
    assert row.startswith(KEYS.pseudonym("patient", "7") + delimiter) and "Pemberton" not in row


def test_a_workbook_comes_back_as_a_workbook(tmp_path: Path, clean) -> None:
    (tmp_path / "in").mkdir()
    book = Workbook()
    for row in (["patient_id", "name", "report"], [7, "John Pemberton", REPORT], [8, "Ann Smith", "Clear."]):
        book.active.append(row)
    book.create_sheet("more").append(["Pemberton"])
    book.save(tmp_path / "in/r.xlsx")
    made = clean(tmp_path / "in")
    (path,) = made.files("xlsx")
    header, first, second = load_workbook(path).active.values
    assert header == ("patient_id", "report") and load_workbook(path).sheetnames == ["Sheet1"]
    assert first[0] == KEYS.pseudonym("patient", "7") and "Pemberton" not in first[1]
    assert second == (KEYS.pseudonym("patient", "8"), "Clear.")
    assert made.outcome.exit_code == 0


def test_a_row_with_an_open_quote_costs_itself_alone(tmp_path: Path, clean) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/r.csv").write_text('patient_id,report\n1,"Clear.\n2,Clear.\n')
    made = clean(tmp_path / "in")
    assert len(made.files("csv")[0].read_text().splitlines()) == 2
    assert (made.out / "quarantine.csv").read_text().endswith(",row with a quote that is never closed,2\n")
    (withheld,) = name_withheld(made.out, tmp_path / "in", keys=KEYS)
    assert (withheld.file, withheld.rows) == ("r.csv", (2,))


def test_a_report_that_is_an_object_is_told_not_emptied(tmp_path: Path, clean) -> None:
    (tmp_path / "in").mkdir()
    rows = [{"patient_id": "1", "report": "Clear."}, {"patient_id": "1", "report": {"findings": "Effusion."}}]
    (tmp_path / "in/r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = clean(tmp_path / "in")
    assert len(made.files("jsonl")[0].read_text().splitlines()) == 1
    assert "report field that is not text" in (made.out / "quarantine.csv").read_text()


def test_a_table_without_reports_stays_behind(tmp_path: Path, clean) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/r.csv").write_text("patient_id,name\n1,John Pemberton\n")
    made = clean(tmp_path / "in")
    assert (made.outcome.released, made.outcome.withheld) == (0, 1)


def test_a_structured_report_is_cleaned_to_its_depths(tmp_path: Path, write_dicom, clean) -> None:
    write_dicom(tmp_path / "in/x.dcm")
    report = Dataset()
    report.SOPClassUID, report.SOPInstanceUID = "1.2.840.10008.5.1.4.1.1.88.11", "1.2.3.88"
    report.StudyInstanceUID, report.SeriesInstanceUID, report.Modality = "1.2.3.4", "1.2.3.6", "SR"
    report.PatientID, report.PatientName, report.StudyDate = "MR-0012345", "Pemberton^John", "20240220"
    text, inner = Dataset(), Dataset()
    text.ValueType, text.TextValue = "TEXT", "FINDINGS: Lungs are clear.\nDiscussed with John Pemberton on 02/20/2024."
    inner.ValueType, inner.ContentSequence = "CONTAINER", [text]
    report.ContentSequence = [inner]
    save(tmp_path / "in/sr.dcm", report)
    made = clean(tmp_path / "in")
    headers = [pydicom.dcmread(path) for path in made.files("dcm")]
    (structured,) = (one for one in headers if one.Modality == "SR")
    (image,) = (one for one in headers if one.Modality == "CR")
    family, given = str(image.PatientName).split("^")
    day = f"{image.StudyDate[4:6]}/{image.StudyDate[6:]}/{image.StudyDate[:4]}"
    cleaned = structured.ContentSequence[0].ContentSequence[0].TextValue
    assert cleaned == f"FINDINGS: Lungs are clear.\nDiscussed with {given} {family} on {day}."
    assert structured.StudyInstanceUID == image.StudyInstanceUID
    codes = {item.CodeValue for item in structured.DeidentificationMethodCodeSequence}
    assert "113104" in codes and "113104" not in {item.CodeValue for item in image.DeidentificationMethodCodeSequence}


def test_a_plan_cut_short_stays_behind(tmp_path: Path, clean) -> None:
    """Reading it raises nothing: the last attributes are just not there."""
    shipped = Path(pydicom.__file__).parent / "data/test_files"
    assert clean(shipped / "rtplan.dcm", "whole").outcome.released == 1
    made = clean(shipped / "rtplan_truncated.dcm", "cut")
    assert made.outcome.released == 0
    assert "truncated" in (made.out / "quarantine.csv").read_text()


def test_settings_that_do_not_make_sense() -> None:
    with pytest.raises(SettingsError, match="named twice"):
        deid_defenses(report_columns=("text",), keep_columns=("text",))
    for wrong in ({"reports": "nothing", "fill": "black"}, {"reports": "surrogates", "fill": "box"}):
        with pytest.raises(SettingsError):
            deid_defenses(**wrong)
    with pytest.raises(SettingsError, match="rewriter"):
        deid_defenses(rewriter="model")


def test_a_row_that_was_set_aside_is_not_in_the_table_either(tmp_path: Path, clean) -> None:
    """And is told once, with its number."""
    pixels = np.full((64, 64), 90, np.uint8)
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        cv2.imwrite(str(tmp_path / f"in/{name}.png"), pixels)
    (tmp_path / "in/list.csv").write_text("path,patient_id,report\na.png,71,Clear lungs.\nb.png,,Large heart.\n")
    made = clean(tmp_path / "in")
    with made.files("csv")[0].open() as file:
        assert [row["report"] for row in csv.DictReader(file)] == ["Clear lungs."]
    with (made.out / "quarantine.csv").open() as file:
        assert [row["reason"] for row in csv.DictReader(file)] == ["row without patient id"]
