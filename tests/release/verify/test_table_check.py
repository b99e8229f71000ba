"""Cleaned tables: a row is searched for the names of the person it is about, and compared with its original."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from medveil.person.keys import Keys
from medveil.release.clean import deid_defenses, deidentify
from medveil.release.verify.run import verify

KEYS = Keys(b"\x07" * 32)
ROWS = [
    ("77", "Abernathy^Ruth", "Mrs. Abernathy, seen on 03/04/2019 by Dr. Quillfeather. Lungs are clear."),
    ("78", "Vandermeer^Anneke", "Anneke Vandermeer is well. No effusion."),
    ("77", "Abernathy^Ruth", "Ruth Abernathy again, 05/04/2019. Small nodule in the left upper lobe."),
    ("", "Pemberton^John", "John Pemberton, outpatient. Heart size is normal."),
]
COLUMNS = ("patient_id", "patient_name", "report")


def write_csv(folder: Path) -> None:
    with (folder / "reports.csv").open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *ROWS])


def write_jsonl(folder: Path) -> None:
    lines = (json.dumps(dict(zip(COLUMNS, row, strict=True))) for row in ROWS)
    (folder / "reports.jsonl").write_text("".join(f"{line}\n" for line in lines))


@pytest.fixture(scope="module", params=[write_csv, write_jsonl])
def cleaned(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    source = tmp_path_factory.mktemp("tables") / "in"
    source.mkdir()
    request.param(source)
    out = source.parent / "out"
    deidentify(source, out, keys=KEYS, defenses=deid_defenses(), workers=1)
    return source, out


def found(source: Path, out: Path) -> dict[str, int]:
    verify(out, source, keys=KEYS, workers=1)
    counts: dict[str, int] = json.loads((out / "verify.json").read_text())["by_finding"]
    return counts


def rewritten(out: Path, change: Callable[[list[dict[str, str]]], None]) -> Callable[[], None]:
    """Changes the rows of the released table; what is returned brings them back."""
    (path,) = (out / "data" / "tables").iterdir()
    before = path.read_bytes()
    text = before.decode()
    rows = (
        list(csv.DictReader(text.splitlines())) if path.suffix == ".csv" else list(map(json.loads, text.splitlines()))
    )
    change(rows)
    with path.open("w", newline="") as file:
        if path.suffix == ".csv":
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        else:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    return lambda: path.write_bytes(before) and None


def test_a_cleaned_table_holds_nothing_known(cleaned: tuple[Path, Path]) -> None:
    assert found(*cleaned) == {}


def _name(rows: list[dict[str, str]]) -> None:
    rows[1]["report"] = rows[1]["report"].replace("is well", "(VANDERMEER, A.) is well")


def _mistyped(rows: list[dict[str, str]]) -> None:
    rows[3]["report"] += " Pembertn."


def _name_without_the_first_row(rows: list[dict[str, str]]) -> None:
    """A row that was withheld must not shift the others onto another's original."""
    del rows[0]
    rows[1]["report"] += " Discussed with Ruth Abernathy."


def _doctor(rows: list[dict[str, str]]) -> None:
    rows[0]["report"] = rows[0]["report"].replace("Lungs", "Dr. Quillfeather: lungs")


def _date(rows: list[dict[str, str]]) -> None:
    rows[2]["report"] = ROWS[2][2].replace("Ruth Abernathy", "The patient")


def _column(rows: list[dict[str, str]]) -> None:
    for row in rows:
        row["ward"] = "5 West"


def _stranger(rows: list[dict[str, str]]) -> None:
    rows[1]["patient_id"] = "78"


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (_name, "text: a known identifier"),
        (_mistyped, "text: a known identifier"),
        (_name_without_the_first_row, "text: a known identifier"),
        (_doctor, "text: as in the source"),
        (_date, "intervals: another date"),
        (_column, "table: 1 other columns"),
        (_stranger, "table: a row without an original"),
    ],
)
def test_each_kind_of_spoiling_is_told(
    cleaned: tuple[Path, Path], spoil: Callable[[list[dict[str, str]]], None], told: str
) -> None:
    source, out = cleaned
    bring_back = rewritten(out, spoil)
    try:
        assert told in found(source, out)
    finally:
        bring_back()


def test_a_withheld_row_alone_is_no_alarm(cleaned: tuple[Path, Path]) -> None:
    source, out = cleaned
    bring_back = rewritten(out, lambda rows: rows.pop(0) and None)
    try:
        assert found(source, out) == {"files: changed since the run": 1}  # and no row of it is wrong
    finally:
        bring_back()


def test_nothing_told_names_anyone(cleaned: tuple[Path, Path]) -> None:
    source, out = cleaned
    bring_back = rewritten(out, _name)
    try:
        found(source, out)
        told = (out / "discrepancies.csv").read_text() + (out / "verify.sqlite").read_bytes().decode("latin-1")
        assert "row 2 " in told and "andermeer" not in told.lower()
    finally:
        bring_back()
