"""`read_table`: any CSV file or workbook as a table of text, each row under its number as a spreadsheet shows it."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pandas as pd

from medveil.cohort.tables.dialect import Dialect, named_rows
from medveil.cohort.tables.spreadsheet import SUFFIXES, begins_1904, numbered_rows
from medveil.errors import InputError, Quarantined

CSV_SUFFIXES = (".csv", ".tsv", ".tab")
_DAY_0 = {False: datetime(1899, 12, 30), True: datetime(1904, 1, 1)}


@dataclass(frozen=True)
class Table:
    """Cells are as written; empty ones are missing. The index is the row's number, with the header in row 1.

    `broken` are rows that could not be read, with the reason; `serials_from` is day 0 where days may be numbers.
    """

    cells: pd.DataFrame
    broken: tuple[tuple[int, str], ...] = ()
    serials_from: datetime | None = field(default=None, repr=False)


def is_workbook(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES


def header_of(path: Path) -> list[str]:
    """The names of the columns, or none where the file cannot be read."""
    try:
        if is_workbook(path):
            return numbered_rows(path)[0]
        if path.suffix.lower() == ".gz":
            return list(pd.read_csv(path, dtype=str, nrows=0).columns)
        with path.open("rb") as source:
            names = next(Dialect.of(source).records(source), [])
            return [] if isinstance(names, str) else names
    except (OSError, EOFError, ValueError, Quarantined):
        return []


def read_table(path: Path, needed: Collection[str] = ()) -> Table:
    """Raises InputError for what is no table, or lacks a column that is needed."""
    try:
        table = _workbook(path) if is_workbook(path) else _csv(path)
    except (OSError, EOFError, ValueError, Quarantined):
        raise InputError(f"{path} is not a readable table; export it again as CSV in UTF-8 or as .xlsx") from None
    missing = [column for column in needed if column not in table.cells.columns]
    if missing:
        raise InputError(f"{path} lacks the column {missing[0]!r}; is it the original table?")
    return table


def _csv(path: Path) -> Table:
    if path.suffix.lower() == ".gz":
        return Table(_numbered(pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])))
    with path.open("rb") as source:
        dialect = Dialect.of(source)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            cells = pd.read_csv(
                path,
                sep=dialect.delimiter,
                encoding=dialect.encoding if not dialect.mark else _with_mark(dialect.encoding),
                skiprows=1 if dialect.first_line else 0,
                dtype=str,
                keep_default_na=False,
                na_values=[""],
                index_col=False,
                skip_blank_lines=False,
            )
    except (pd.errors.ParserError, pd.errors.ParserWarning):
        return _slowly(path, dialect)
    return Table(_numbered(cells))


def _with_mark(encoding: str) -> str:
    return {"utf-8": "utf-8-sig", "utf-16-le": "utf-16", "utf-16-be": "utf-16"}.get(encoding, "utf-32")


def _slowly(path: Path, dialect: Dialect) -> Table:
    """Row by row, so that those which cannot be read are known by their number."""
    with path.open("rb") as source:
        records = dialect.records(source)
        names = next(records, [])
        if isinstance(names, str):
            raise Quarantined(names)
        return _gathered(names, named_rows(records, len(names)))


def _workbook(path: Path) -> Table:
    table = _gathered(*numbered_rows(path))
    return Table(table.cells, table.broken, _DAY_0[begins_1904(path)])


def _gathered(names: list[str], rows: Iterable[tuple[int, list[str] | str]]) -> Table:
    numbers: list[int] = []
    columns: list[list[str | None]] = [[] for _ in names]
    broken = []
    for number, row in rows:
        if isinstance(row, str):
            broken.append((number, row))
            continue
        numbers.append(number)
        for column, value in zip(columns, row, strict=True):
            column.append(value or None)
    unique = _unique(names)
    cells = pd.DataFrame(
        {name: pd.Series(column, dtype="str") for name, column in zip(unique, columns, strict=True)},
    )
    return Table(cells.set_axis(pd.Index(numbers, dtype="int64")), tuple(broken))


def _unique(names: list[str]) -> list[str]:
    """As pandas does it: a second column of one name gets a number."""
    seen: dict[str, int] = {}
    found = []
    for place, name in enumerate(names):
        name = name or f"Unnamed: {place}"
        count = seen.get(name, 0)
        seen[name] = count + 1
        found.append(f"{name}.{count}" if count else name)
    return found


def _numbered(cells: pd.DataFrame) -> pd.DataFrame:
    cells = cells.set_axis(pd.RangeIndex(2, len(cells) + 2))
    blank = cells.isna().all(axis=1)
    return cells[~blank] if blank.any() else cells
