"""A table of reports: which columns are what, who each row is about, and the cleaned table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache, partial
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from medveil.cohort.input import OWN, Kind, SourceFile
from medveil.cohort.tables.columns import ALIASES, squeezed
from medveil.cohort.tables.dialect import Dialect
from medveil.cohort.tables.spreadsheet import numbered_rows
from medveil.defenses.reports.formats.columns import Columns
from medveil.defenses.reports.formats.csv_column import clean_csv, clean_xlsx
from medveil.defenses.reports.formats.jsonl_field import clean_jsonl
from medveil.defenses.table.defense import PseudonymousRecords
from medveil.errors import InputError, Quarantined
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.release.clean.engine import Engine
from medveil.release.clean.people import gathered, known_in_row, person_of
from medveil.release.clean.records import Written

ColumnSettings = PseudonymousRecords.Settings
_REPORTS = {
    *map(squeezed, ALIASES["report"]),
    *("findings", "impression", "history", "indication", "comparison"),
}
_PATIENTS = set(map(squeezed, ALIASES["patient_id"]))
_HEAD = 1 << 16
NO_REPORTS = "table without a report column, not released itself; if it holds reports, name theirs with --report-column"
_UNREADABLE = "table that cannot be read and written as one"


def clean_table(
    path: Path, table: SourceFile, headers: Mapping[str, tuple[str, ...]], root: Path, engine: Engine
) -> Written:
    columns = columns_of(path, table.kind, column_settings(engine))
    person = RowPeople(table.path, columns, headers, root, engine.keys)
    out = BytesIO()
    clean = {
        Kind.CSV: partial(clean_csv, skip=table.set_aside),
        Kind.XLSX: partial(clean_xlsx, skip=table.set_aside),
    }.get(table.kind, clean_jsonl)
    with path.open("rb") as source:
        try:
            result = clean(source, out, columns, engine.clean_many, person)
        except InputError:  # of this table alone, and no reason to stop the others
            raise Quarantined(_UNREADABLE) from None
    if not result.rows:
        raise Quarantined("no row could be cleaned")
    return Written(out.getvalue(), result.done, rows=result.rows, rows_withheld=result.withheld)


def column_settings(engine: Engine) -> ColumnSettings:
    """What the user said of the columns of tables."""
    said = [choice.settings for choice in engine.chosen if isinstance(choice.settings, ColumnSettings)]
    return said[0] if said else ColumnSettings()


class RowPeople:
    """Who each row of a table is about, asked row after row; a row without a patient is a person of its own."""

    def __init__(
        self, file: str, columns: Columns, headers: Mapping[str, tuple[str, ...]], root: Path, keys: Keys
    ) -> None:
        self._file, self._columns, self._keys = file, columns, keys
        self._without_patient = 0
        self._known = lru_cache(maxsize=64)(lambda patient: gathered(keys, root, patient, headers.get(patient, ())))

    def __call__(self, row: Mapping[str, str]) -> Person:
        patient = (row.get(self._columns.patient) or "").strip() if self._columns.patient else ""
        told = known_in_row(row, self._columns.text)
        if not patient:
            self._without_patient += 1
            return person_of(self._keys, f"{OWN}row {self._without_patient} of {self._file}", sorted(told))
        known = self._known(patient)
        return person_of(self._keys, patient, (*known.known, *sorted(told)), known.sex)


def columns_of(path: Path, kind: Kind, settings: ColumnSettings) -> Columns:
    """The columns the user named, else those whose names are usual."""
    names = _names(path, kind)
    if len(set(names)) < len(names):
        raise Quarantined("table with two columns of one name")
    text = settings.report_columns or tuple(name for name in names if squeezed(name) in _REPORTS)
    text = tuple(name for name in text if name in names)
    if not text:
        raise Quarantined(NO_REPORTS)
    usual = (name for name in names if squeezed(name) in _PATIENTS)
    patient = settings.patient_column if settings.patient_column in names else next(usual, None)
    return Columns(text, patient, tuple(name for name in settings.keep_columns if name in names))


def refuse_unknown_columns(tables: list[tuple[Path, Kind]], settings: ColumnSettings) -> None:
    """A column the user named must be in some table: a slip of the pen would leave reports out silently."""
    wanted = set(settings.named)
    for path, kind in tables:
        if not wanted:
            return
        try:
            wanted -= set(_names(path, kind))
        except Quarantined:
            continue
    if wanted:
        raise InputError(f"no table has a column called {sorted(wanted)[0]}; check the name")


def _names(path: Path, kind: Kind) -> list[str]:
    """The columns of a table, or the fields of the first line of a JSONL; those within fields as paths with dots."""
    if kind is Kind.XLSX:
        return numbered_rows(path)[0]
    with path.open("rb") as file:
        if kind is Kind.CSV:
            return _csv_names(file)
        head = file.read(_HEAD)
    try:
        first = json.loads(head.split(b"\n", 1)[0])
    except (ValueError, RecursionError):
        raise Quarantined("not lines of JSON") from None
    return list(_fields(first))


def _csv_names(file: BinaryIO) -> list[str]:
    names = next(Dialect.of(file).records(file), [])
    if isinstance(names, str):
        raise Quarantined(_UNREADABLE)
    return names


def _fields(value: object, prefix: str = "") -> list[str]:
    if not isinstance(value, dict):
        return []
    found = []
    for name, inner in value.items():
        found += [f"{prefix}{name}", *_fields(inner, f"{prefix}{name}.")]
    return found
