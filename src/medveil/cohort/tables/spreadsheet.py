"""Excel workbooks (.xlsx): the first sheet that holds anything, each cell as it is shown, and the way back."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date, datetime, time
from itertools import repeat
from pathlib import Path
from typing import Any, BinaryIO

from medveil.cohort.tables.dialect import BROKEN
from medveil.errors import Quarantined

SUFFIXES = (".xlsx", ".xlsm")
MOST_BYTES = 1 << 30  # unpacked; more is a decompression bomb, not a table
UNREADABLE = "workbook that cannot be read"
NOT_COMPUTED = "row with a formula without a value; open the workbook in a spreadsheet program and save it"
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
_PADDED = re.compile(r"0+")  # a number format that shows leading zeros
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # what a file says of when it was written, since that is nobody's concern


def sheet_rows(source: Path | BinaryIO) -> Iterator[tuple[int, list[str] | str]]:
    """Header and rows of the first visible sheet that has any, each with its number there; raises Quarantined.

    A reason stands for a row with a formula that no program has computed: its cell would read as empty.
    """
    with ExitStack() as stack:
        book = stack.enter_context(_opened(source))
        formulas = stack.enter_context(_opened(source, formulas=True)) if _has_formulas(source) else None
        for at, sheet in enumerate(book.worksheets):
            if sheet.sheet_state != "visible":
                continue
            rows = _filled(sheet, formulas.worksheets[at] if formulas else None)
            first = next(rows, None)
            if first is not None:
                yield first
                yield from rows
                return


def numbered_rows(source: Path | BinaryIO) -> tuple[list[str], Iterator[tuple[int, list[str] | str]]]:
    """The names of the columns, and the rows as wide as those, each with its number; a reason for a wider one."""
    rows = sheet_rows(source)
    _, names = next(rows, (1, []))
    if isinstance(names, str):
        raise Quarantined(UNREADABLE)
    return names, ((number, _padded(row, len(names))) for number, row in rows)


def _padded(row: list[str] | str, width: int) -> list[str] | str:
    """Cells that are empty at the end of a row are not in the file."""
    if isinstance(row, str):
        return row
    return [*row, *[""] * (width - len(row))] if len(row) <= width else BROKEN


def begins_1904(source: Path | BinaryIO) -> bool:
    """Whether days are counted as on old Macintoshes."""
    with _opened(source) as book:
        return bool(book.epoch.year == 1904)


def write_sheet(out: BinaryIO, rows: Iterator[Sequence[str]]) -> None:
    """Every cell as text: a formula in a report must not run in the program that opens it."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.utils.exceptions import IllegalCharacterError

    book = Workbook(write_only=True)
    book.properties.creator = None
    book.properties.created = book.properties.modified = datetime(*_LONG_AGO)
    sheet = book.create_sheet("Sheet1")
    for row in rows:
        cells = []
        for value in row:
            try:
                cell = WriteOnlyCell(sheet, value)
            except IllegalCharacterError:
                raise Quarantined("text that its encoding cannot hold") from None
            if value:
                cell.data_type = "s"
            cells.append(cell)
        sheet.append(cells)
    made = io.BytesIO()
    book.save(made)
    with zipfile.ZipFile(made) as parts, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for part in parts.infolist():
            content = parts.read(part)
            if part.filename == "docProps/core.xml":
                content = re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>1980-01-01T00:00:00Z", content)
            target.writestr(zipfile.ZipInfo(part.filename, _LONG_AGO), content, zipfile.ZIP_DEFLATED)


@contextmanager
def _opened(source: Path | BinaryIO, *, formulas: bool = False) -> Iterator[Any]:
    import warnings

    from openpyxl import load_workbook

    try:
        with zipfile.ZipFile(source) as parts:
            if sum(part.file_size for part in parts.infolist()) > MOST_BYTES:
                raise Quarantined("too large")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and extensions that do not matter here
            book = load_workbook(source, read_only=True, data_only=not formulas, keep_links=False)
    except Quarantined:
        raise
    except Exception:
        # openpyxl raises nearly anything over a damaged file.
        raise Quarantined(UNREADABLE) from None
    try:
        yield book
    except Quarantined:
        raise
    except GeneratorExit:
        raise
    except Exception:
        raise Quarantined(UNREADABLE) from None
    finally:
        book.close()


def _has_formulas(source: Path | BinaryIO) -> bool:
    """Seldom, and only then is the workbook read twice."""
    with zipfile.ZipFile(source) as parts:
        for name in parts.namelist():
            if "worksheets/" in name:
                with parts.open(name) as part:
                    end = b""
                    while piece := part.read(1 << 20):
                        if _FORMULA.search(end + piece):
                            return True
                        end = piece[-64:]
    return False


def _filled(sheet: Any, formulas: Any = None) -> Iterator[tuple[int, list[str] | str]]:
    sheet.reset_dimensions()  # what a file says of its size may be wrong
    if formulas is not None:
        formulas.reset_dimensions()
    written = repeat(()) if formulas is None else formulas.rows
    for number, (row, as_written) in enumerate(zip(sheet.rows, written, strict=False), start=1):
        if any(map(_not_computed, row, as_written)):
            yield number, NOT_COMPUTED
            continue
        values = [_shown(cell) for cell in row]
        while values and not values[-1]:
            values.pop()
        if values:
            yield number, values


def _not_computed(cell: Any, as_written: Any) -> bool:
    """A formula whose value is an empty text has one: the cell then says that it is text."""
    return bool(as_written.data_type == "f" and cell.value is None and cell.data_type == "n")


def _shown(cell: Any) -> str:
    """A cell's text as a CSV export would have it; days as ISO dates."""
    value = cell.value
    match value:
        case None:
            return ""
        case bool():
            return str(int(value))
        case datetime():
            value = value.replace(microsecond=0)
            return str(value.date()) if value.time() == time() else value.isoformat(" ")
        case date():
            return value.isoformat()
        case float() if value.is_integer() and abs(value) < 1e15:
            value = int(value)
    text = str(value)
    if isinstance(value, int) and _PADDED.fullmatch(str(cell.number_format)):
        return text.zfill(len(cell.number_format))
    return text
