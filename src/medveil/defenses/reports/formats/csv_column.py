"""Reports in the columns of a CSV file, row by row: any size, in little memory."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import chain, islice
from typing import BinaryIO

from medveil.cohort.tables.encodings import encoding_of
from medveil.defenses.reports.formats.columns import BATCH, CleanMany, Columns, PersonOf, RowsCleaned, clean_rows
from medveil.errors import InputError

_LONGEST_FIELD = 1 << 24
_DELIMITERS = ",;\t|"
BROKEN = "row with more or fewer fields than the table has columns"


def clean_csv(source: BinaryIO, out: BinaryIO, columns: Columns, clean: CleanMany, person_of: PersonOf) -> RowsCleaned:
    """Delimiter, encoding and line ends stay. Raises InputError for a table that lacks a column it should have.

    `source` must be seekable: its encoding is told by reading all of it.
    """
    like = encoding_of(source)
    reading = io.TextIOWrapper(source, encoding=like.encoding, newline="")
    writing = io.TextIOWrapper(out, encoding=like.encoding, newline="", errors="strict")
    try:
        out.write(like.mark)
        return _clean(reading, writing, columns, clean, person_of)
    except csv.Error:
        raise InputError("the table is not readable as CSV from some row on; check its quotes") from None
    except UnicodeEncodeError:
        raise InputError("the cleaned table does not fit its encoding; store it as UTF-8 first") from None
    finally:
        reading.detach()
        writing.flush()
        writing.detach()


def _clean(
    reading: io.TextIOWrapper, writing: io.TextIOWrapper, columns: Columns, clean: CleanMany, person_of: PersonOf
) -> RowsCleaned:
    head = next(reading, "")
    delimiter = max(_DELIMITERS, key=head.count)
    limit = csv.field_size_limit(_LONGEST_FIELD)
    try:
        reader = csv.reader(chain([head], reading), delimiter=delimiter)
        names = next(reader, [])
        _check(names, columns)
        outcome = RowsCleaned(left_out=tuple(name for name in names if name not in columns.named))
        kept = [name for name in names if name in columns.named]
        writer = csv.writer(writing, delimiter=delimiter, lineterminator="\r\n" if head.endswith("\r\n") else "\n")
        writer.writerow(kept)
        while batch := list(islice(reader, BATCH)):
            rows = list(_named(batch, names, outcome))
            for row in clean_rows(rows, columns, clean, person_of, outcome):
                if row is not None:
                    writer.writerow([row[name] for name in kept])
        return outcome
    finally:
        csv.field_size_limit(limit)


def _check(names: list[str], columns: Columns) -> None:
    missing = sorted(set(columns.named) - set(names))
    if missing:
        raise InputError(f"the table has no column {missing[0]}; name one it has")
    if len(set(names)) < len(names):
        raise InputError("two columns of the table have the same name; rename one")


def _named(batch: list[list[str]], names: list[str], outcome: RowsCleaned) -> Iterator[dict[str, str]]:
    for fields in batch:
        if len(fields) == len(names):
            yield dict(zip(names, fields, strict=True))
        elif fields:
            outcome.quarantined[BROKEN] += 1
