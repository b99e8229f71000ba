from __future__ import annotations

import codecs
import csv
import datetime as dt
import io
import json
from collections.abc import Mapping

import pytest

from medveil.cohort.tables.dialect import BROKEN
from medveil.cohort.tables.encodings import decode, encode, encoding_of
from medveil.cohort.tables.spreadsheet import numbered_rows, write_sheet
from medveil.defenses.reports.cleaner import ReportCleaner
from medveil.defenses.reports.defense import CleanReports
from medveil.defenses.reports.formats.columns import Columns
from medveil.defenses.reports.formats.csv_column import clean_csv, clean_xlsx
from medveil.defenses.reports.formats.jsonl_field import clean_jsonl
from medveil.defenses.reports.formats.text_file import clean_text_file
from medveil.errors import InputError, Quarantined, SettingsError
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.person import Known, Person

KEYS = Keys.for_demonstration(4)
REPORTS = CleanReports(KEYS)
REPORTS.cleaner = ReportCleaner(tagger=None)
TEXT = "Größe normal. Discussed with Dr. Müller on 14.03.2021.\r\nKein Erguss.\r\n"


def person_of(row: Mapping[str, str]) -> Person:
    if not row.get("id"):
        raise Quarantined("row without a patient")
    return Person(KEYS, row["id"], (Known(Category.NAME, row.get("name", "")),) if row.get("name") else ())


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
        ("utf-32-le", codecs.BOM_UTF32_LE),
        ("latin-1", b""),
    ],
)
def test_a_text_file_keeps_its_encoding(encoding: str, mark: bytes) -> None:
    data = mark + TEXT.encode(encoding)
    cleaned = clean_text_file(data, REPORTS.apply, Person(KEYS, "1"))[0]
    assert cleaned.startswith(mark)
    text = cleaned[len(mark) :].decode(encoding)
    assert "Müller" not in text
    assert "14.03.2021" not in text
    assert text.startswith("Größe normal.")
    assert text.endswith("\r\nKein Erguss.\r\n")


def test_a_file_without_identifiers_is_the_very_same_bytes() -> None:
    data = codecs.BOM_UTF8 + "Größe normal.\n ___ year old. \n".encode()
    assert clean_text_file(data, REPORTS.apply, Person(KEYS, "1"))[0] == data


@pytest.mark.parametrize("data", [b"\x00\x01\x02PNG\xff\xfe\x00", codecs.BOM_UTF16_LE + b"\x00\xd8\x41", b"abc\x00def"])
def test_what_is_no_text_is_quarantined(data: bytes) -> None:
    with pytest.raises(Quarantined):
        decode(data)


def test_letters_an_encoding_lacks_are_quarantined() -> None:
    with pytest.raises(Quarantined):
        encode("Ž", decode("é".encode("latin-1")))


def table(rows: list[list[str]], delimiter: str = ",", ending: str = "\r\n") -> io.BytesIO:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator=ending).writerows(rows)
    return io.BytesIO(out.getvalue().encode())


ROWS = [
    ["id", "name", "report", "study"],
    ["A1", "Hartwell", "Hartwell has no effusion,\nseen 03/14/2021.", "CHEST PA"],
    ["A2", "", "Normal chest.", "CHEST FOR DR PEMBERTON"],
    ["", "", "Nobody's report", ""],
    ["A3", "", "Fine."],
]


@pytest.mark.parametrize(("delimiter", "ending"), [(",", "\r\n"), (";", "\n"), ("\t", "\n")])
def test_a_csv_column(delimiter: str, ending: str) -> None:
    out = io.BytesIO()
    columns = Columns(("report",), "id", ("study",))
    outcome = clean_csv(table(ROWS, delimiter, ending), out, columns, REPORTS.apply_many, person_of)
    text = out.getvalue().decode()
    rows = list(csv.DictReader(io.StringIO(text), delimiter=delimiter))
    assert [row["id"] for row in rows] == [KEYS.pseudonym("patient", "A1"), KEYS.pseudonym("patient", "A2")]
    assert "name" not in rows[0]
    assert "Hartwell" not in text
    assert "2021" not in rows[0]["report"] or "03/14/2021" not in rows[0]["report"]
    assert rows[1]["report"] == "Normal chest."
    assert "PEMBERTON" not in text
    assert text.split("\n")[0].endswith("\r") == (ending == "\r\n")
    assert outcome.rows == 2
    assert outcome.withheld == {"row without a patient": [4], BROKEN: [5]}
    assert outcome.left_out == ("name",)
    assert outcome.done[""]["dates replaced in reports"] == 1


def test_a_table_of_many_rows_streams_in_batches() -> None:
    rows = [["id", "report"], *([f"P{place}", f"Seen by Dr. Hartwell, film {place}."] for place in range(200))]
    out = io.BytesIO()
    outcome = clean_csv(table(rows), out, Columns(("report",), "id"), REPORTS.apply_many, person_of)
    assert outcome.rows == 200
    assert b"Hartwell" not in out.getvalue()


def test_a_missing_column_is_told_without_a_value() -> None:
    with pytest.raises(InputError, match="finding"):
        clean_csv(table(ROWS), io.BytesIO(), Columns(("finding",)), REPORTS.apply_many, person_of)
    with pytest.raises(SettingsError):
        Columns(())
    with pytest.raises(SettingsError):
        Columns(("report",), "report")


def test_json_lines() -> None:
    lines = [
        json.dumps({"id": "A1", "name": "Hartwell", "study": {"report": "Hartwell: no effusion on 3/14."}, "n": 3}),
        json.dumps({"id": "A2", "study": {"report": ["a list"]}}),
        "not json",
        json.dumps([1, 2]),
        json.dumps({"id": "A4", "study": {"report": "Größe normal."}}, ensure_ascii=False),
    ]
    out = io.BytesIO()
    source = io.BytesIO("\n".join(lines).encode())
    outcome = clean_jsonl(source, out, Columns(("study.report",), "id", ("n",)), REPORTS.apply_many, person_of)
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [row["id"] for row in rows] == [KEYS.pseudonym("patient", patient) for patient in ("A1", "A4")]
    assert "Hartwell" not in out.getvalue().decode()
    assert rows[1]["study"]["report"] == "Größe normal."
    assert sorted(number for rows in outcome.withheld.values() for number in rows) == [2, 3, 4]
    assert outcome.left_out == ("name",)


def test_a_text_that_is_half_utf8_is_no_text_of_either_kind() -> None:
    mixed = "Béranger".encode() + b" \xe9t\xe9"
    with pytest.raises(Quarantined):
        decode(mixed)
    with pytest.raises(Quarantined):
        encoding_of(io.BytesIO(mixed))
    assert decode(b"\xe9t\xe9").text == "été"


TOLD = ["Seen 23/06/2021.", "Seen 14/05/2021 and 02/03/2021.", "Seen 04/05/2021."]


@pytest.mark.parametrize("kind", ["csv", "xlsx", "jsonl"])
def test_a_report_that_does_not_tell_has_the_order_of_its_table(kind: str) -> None:
    out = io.BytesIO()
    columns = Columns(("report",), "id")
    rows = [["id", "report"], *([f"p{number}", text] for number, text in enumerate(TOLD))]
    if kind == "csv":
        outcome = clean_csv(table(rows), out, columns, REPORTS.apply_many, person_of)
    elif kind == "xlsx":
        source = io.BytesIO()
        write_sheet(source, iter(rows))
        source.seek(0)
        outcome = clean_xlsx(source, out, columns, REPORTS.apply_many, person_of)
    else:
        lines = (json.dumps(dict(zip(rows[0], row, strict=True))) for row in rows[1:])
        outcome = clean_jsonl(io.BytesIO("\n".join(lines).encode()), out, columns, REPORTS.apply_many, person_of)
    assert outcome.rows == 3 and outcome.date_order == "day-first"
    day = Person(KEYS, "p2").moved(dt.date(2021, 5, 4))
    if kind == "xlsx":
        out.seek(0)
        assert [row[1] for _, row in numbered_rows(out)[1]][-1] == f"Seen {day:%d/%m/%Y}."
    else:
        assert f"Seen {day:%d/%m/%Y}.".encode() in out.getvalue()
