"""A released table of reports, row by row: each row searched for what is known of the person it is about."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any

from medveil.cohort.input import Kind
from medveil.cohort.tables.dialect import Dialect, named_rows
from medveil.cohort.tables.encodings import decode
from medveil.cohort.tables.spreadsheet import numbered_rows
from medveil.defenses.reports.formats.columns import Columns
from medveil.person.person import Person
from medveil.person.search.known import KnownSearch
from medveil.release.clean.table_file import RowPeople
from medveil.release.verify.allowed_values import without_moved_dates
from medveil.release.verify.discrepancy import Discrepancy
from medveil.release.verify.text_check import DatesTold, TextCheck

_CHECK = "table"
Row = dict[str, str | None]  # None for what is no text


@dataclass(frozen=True)
class Original:
    """A row of the source, and the person it is about."""

    row: Row
    person: Person


@dataclass(frozen=True)
class TableCheck:
    """Rows that were withheld are not in the released table; the others stand in their order."""

    columns: Columns
    people: RowPeople
    text: TextCheck

    def discrepancies(self, file: str, released: list[Row], source: list[Row]) -> Iterator[Discrepancy]:
        originals: dict[str, list[Original]] = defaultdict(list)
        for row in source:
            if all(_is_text(row, column) for column in self.columns.named):
                person = self.people({name: value for name, value in row.items() if value is not None})
                originals[self._key(person)].append(Original(row, person))
        belonging: dict[str, list[tuple[int, Row]]] = defaultdict(list)
        for number, row in enumerate(released, start=1):
            if strange := sorted(set(row) - set(self.columns.named)):
                yield Discrepancy(file, _CHECK, f"row {number}", "X", "removed", f"{len(strange)} other columns")
            belonging[row.get(self.columns.patient or "") or ""].append((number, row))
        for patient, rows in belonging.items():
            yield from self._persons_rows(file, rows, originals.get(patient, []))

    def _key(self, person: Person) -> str:
        """What stands in the released patient column; rows of nobody known have it too, where there is one."""
        return person.pseudonym if self.columns.patient else ""

    def _persons_rows(self, file: str, rows: list[tuple[int, Row]], originals: list[Original]) -> Iterator[Discrepancy]:
        spare = len(originals) - len(rows)
        for at, (number, row) in enumerate(rows):
            candidates = originals[at : at + spare + 1]
            if not candidates:
                yield Discrepancy(file, _CHECK, f"row {number}", "", "absent", "a row without an original")
                continue
            original = candidates[0] if len(candidates) == 1 else max(candidates, key=lambda one: _shared(one.row, row))
            yield from self._row(file, number, row, original)

    def _row(self, file: str, number: int, row: Row, original: Original) -> Iterator[Discrepancy]:
        search, dates = KnownSearch(without_moved_dates(original.person)), DatesTold.of(original.person)
        for column, value in row.items():
            if column == self.columns.patient or value is None:
                continue
            before = original.row.get(column) if column in self.columns.text else None
            for discrepancy in self.text.discrepancies(file, value, before, search, dates):
                yield replace(discrepancy, place=f"row {number} {discrepancy.place}")


def rows_of(content: bytes, kind: Kind) -> list[Row]:
    """The rows that can be read; inner fields of JSON by names with dots."""
    source = BytesIO(content)
    if kind is Kind.JSONL:
        lines = decode(content).text.splitlines()
        return [row for line in lines if line.strip() and (row := _object(line)) is not None]
    if kind is Kind.XLSX:
        names, rows = numbered_rows(source)
    else:
        records = Dialect.of(source).records(source)
        first = next(records, [])
        names = first if isinstance(first, list) else []
        rows = named_rows(records, len(names))
    return [dict(zip(names, fields, strict=True)) for _, fields in rows if isinstance(fields, list)]


def _object(line: str) -> Row | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    found: Row = {}
    waiting = [("", value)]
    while waiting:
        path, inner = waiting.pop()
        for name, leaf in inner.items():
            if isinstance(leaf, dict):
                waiting.append((f"{path}{name}.", leaf))
            else:
                found[f"{path}{name}"] = _text(leaf)
    return found


def _is_text(row: Row, column: str) -> bool:
    """Whether the column is text in this row, or empty; an object or a list is not, and such rows are withheld."""
    if column in row:
        return row[column] is not None
    return not any(name.startswith(f"{column}.") for name in row)


def _text(leaf: Any) -> str | None:
    if leaf is None:
        return ""
    return str(leaf) if isinstance(leaf, str | int | float) else None


def _shared(one: Row, other: Row) -> int:
    """How many words two rows have in common."""
    return len(_words(one) & _words(other))


def _words(row: Row) -> set[str]:
    return {word for value in row.values() if value for word in value.split()}
