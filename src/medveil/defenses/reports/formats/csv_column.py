"""Reports in the columns of a table, CSV or .xlsx, row by row: any size, in little memory, and back as it came."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from itertools import islice
from typing import BinaryIO

from medveil.cohort.tables.dialect import Dialect, named_rows
from medveil.cohort.tables.spreadsheet import numbered_rows, write_sheet
from medveil.defenses.reports.formats.columns import (
    BATCH,
    CleanMany,
    Columns,
    PersonOf,
    RowsCleaned,
    clean_rows,
    order_in_table,
)
from medveil.errors import InputError
from medveil.person.written_dates import DateOrder

Row = tuple[int, list[str] | str]  # its number, and its fields or the reason why it has none


def clean_csv(
    source: BinaryIO,
    out: BinaryIO,
    columns: Columns,
    clean: CleanMany,
    person_of: PersonOf,
    *,
    skip: Collection[int] = (),
) -> RowsCleaned:
    """Delimiter, encoding, line ends and a line `sep=;` stay. Raises InputError for a table that lacks a column.

    Rows to `skip`, by number, were set aside elsewhere: they are neither released nor told once more.

    `source` must be seekable: its encoding is told by reading all of it, and the order of its dates by a first look.
    """
    dialect = Dialect.of(source)
    outcome = RowsCleaned()
    writing = io.TextIOWrapper(out, encoding=dialect.encoding, newline="", errors="strict")
    try:
        out.write(dialect.mark)
        writing.write(dialect.first_line)
        with closing(dialect.records(source)) as first:
            outcome.date_order = _date_order(next(first, []), first, columns)
        records = dialect.records(source)
        names = next(records, [])
        if isinstance(names, str):
            raise InputError("the header of the table cannot be read; check its quotes")
        rows = _without(named_rows(records, len(names)), skip)
        writer = csv.writer(writing, delimiter=dialect.delimiter, lineterminator=dialect.line_end)
        writer.writerows(_cleaned(names, rows, columns, clean, person_of, outcome))
        return outcome
    except UnicodeEncodeError:
        raise InputError("the cleaned table does not fit its encoding; store it as UTF-8 first") from None
    finally:
        writing.flush()
        writing.detach()


def clean_xlsx(
    source: BinaryIO,
    out: BinaryIO,
    columns: Columns,
    clean: CleanMany,
    person_of: PersonOf,
    *,
    skip: Collection[int] = (),
) -> RowsCleaned:
    """A new workbook with the one sheet; every cell is text, and nothing else of the old one is in it."""
    outcome = RowsCleaned()
    names, rows = numbered_rows(source)
    outcome.date_order = _date_order(names, (row for _, row in rows), columns)
    source.seek(0)
    names, rows = numbered_rows(source)
    write_sheet(out, _cleaned(names, _without(rows, skip), columns, clean, person_of, outcome))
    return outcome


def _date_order(names: list[str] | str, rows: Iterable[list[str] | str], columns: Columns) -> DateOrder | None:
    named = (dict(zip(names, row, strict=False)) for row in rows if not isinstance(row, str))
    return order_in_table(named, columns) if not isinstance(names, str) else None


def _without(rows: Iterable[Row], skip: Collection[int]) -> Iterator[Row]:
    return (row for row in rows if row[0] not in skip)


def _cleaned(
    names: list[str], rows: Iterator[Row], columns: Columns, clean: CleanMany, person_of: PersonOf, outcome: RowsCleaned
) -> Iterator[list[str]]:
    """The header and each row, of the columns that are kept."""
    _check(names, columns)
    outcome.left_out = tuple(name for name in names if name not in columns.named)
    kept = [name for name in names if name in columns.named]
    yield kept
    while batch := list(islice(rows, BATCH)):
        named = list(_named(batch, names, outcome))
        for row in clean_rows(named, columns, clean, person_of, outcome):
            if row is not None:
                yield [row[name] for name in kept]


def _check(names: list[str], columns: Columns) -> None:
    missing = sorted(set(columns.named) - set(names))
    if missing:
        raise InputError(f"the table has no column {missing[0]}; name one it has")
    if len(set(names)) < len(names):
        raise InputError("two columns of the table have the same name; rename one")


def _named(
    batch: list[tuple[int, list[str] | str]], names: list[str], outcome: RowsCleaned
) -> Iterator[tuple[int, dict[str, str]]]:
    for number, fields in batch:
        if isinstance(fields, str):
            outcome.withhold(number, fields)
        else:
            yield number, dict(zip(names, fields, strict=True))
