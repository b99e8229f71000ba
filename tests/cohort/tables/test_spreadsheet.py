"""Workbooks: cells as they are shown, and back without formulas or dates of their own."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime

import pytest
from openpyxl import Workbook, load_workbook

from medveil.cohort.tables.reading import read_table
from medveil.cohort.tables.spreadsheet import NOT_COMPUTED, sheet_rows, write_sheet
from medveil.errors import InputError, Quarantined


def test_cells_are_as_shown(tmp_path):
    book = Workbook()
    hidden = book.active
    hidden.sheet_state = "hidden"
    hidden.append(["secret"])
    book.create_sheet("empty")
    sheet = book.create_sheet("data")
    sheet.append(["patient_id", "date", "age", "edema"])
    sheet.append([12345, datetime(2021, 3, 4), 45.0, True])
    sheet["A2"].number_format = "00000000"
    sheet.append([])
    sheet.append(["x", datetime(2021, 3, 4, 5, 6), 45.5])
    book.save(tmp_path / "t.xlsx")
    table = read_table(tmp_path / "t.xlsx")
    assert list(table.cells.index) == [2, 4]
    assert list(table.cells.iloc[0]) == ["00012345", "2021-03-04", "45", "1"]
    assert list(table.cells.iloc[1].fillna("")) == ["x", "2021-03-04 05:06:00", "45.5", ""]


def test_a_formula_without_a_value_is_a_bad_row_and_no_empty_cell(tmp_path):
    book = Workbook()
    book.active.append(["path", "report"])
    book.active.append(["a.png", "Clear."])
    book.active.append(["b.png", '=CONCATENATE("Heart"," big")'])
    book.active.append(["c.png", '=IF(1=1,"","x")'])
    book.save(tmp_path / "made.xlsx")
    with zipfile.ZipFile(tmp_path / "made.xlsx") as made, zipfile.ZipFile(tmp_path / "t.xlsx", "w") as parts:
        for name in made.namelist():
            content = made.read(name)
            if name.endswith("sheet1.xml"):  # as Excel stores an empty text that it has computed
                before, cell, after = content.partition(b'<c r="B4"')
                content = before + cell + b' t="str"' + after
            parts.writestr(name, content)
    table = read_table(tmp_path / "t.xlsx")
    assert table.broken == ((3, NOT_COMPUTED),)
    assert list(table.cells.index) == [2, 4]


def test_what_is_written_is_text_and_always_the_same_bytes():
    rows = [["patient_id", "report"], ["7", "=1+1"], ["", "Größe\nklar"]]
    made = [io.BytesIO(), io.BytesIO()]
    for out in made:
        write_sheet(out, iter(rows))
    assert made[0].getvalue() == made[1].getvalue()
    assert [row for _, row in sheet_rows(made[0])] == rows
    assert load_workbook(made[0]).active["B2"].data_type == "s"
    with zipfile.ZipFile(made[0]) as parts:
        assert b"openpyxl" not in b"".join(parts.read(name) for name in parts.namelist())


def test_what_is_no_workbook_is_one_sentence(tmp_path):
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04 no")
    with pytest.raises(InputError, match="not a readable table"):
        read_table(tmp_path / "t.xlsx")
    with pytest.raises(Quarantined):
        list(sheet_rows(tmp_path / "t.xlsx"))
    with pytest.raises(Quarantined):
        write_sheet(io.BytesIO(), iter([["\x00"]]))
