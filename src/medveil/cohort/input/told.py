"""What the tables of a source say of its files: whose they are, when they were taken, what they show."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import pandas as pd

from medveil.cohort.cohort import Problem
from medveil.cohort.input.options import InputOptions
from medveil.cohort.schema import COLUMNS, LABELS
from medveil.cohort.tables import values
from medveil.cohort.tables.columns import squeezed, understood
from medveil.cohort.tables.dates import parse_dates
from medveil.cohort.tables.paths import FileFinder
from medveil.cohort.tables.reading import CSV_SUFFIXES, Table, header_of, read_table
from medveil.cohort.tables.spreadsheet import SUFFIXES as WORKBOOK_SUFFIXES
from medveil.errors import InputError

FilesFor = Callable[[pd.Series], Collection[str]]
DISAGREE = "rows that disagree on whose file it is"
REPEATS = "row that repeats another"
_ROW = re.compile(r"row (?P<number>\d+) of (?P<table>.+)", re.DOTALL)  # as `row_problems` writes it
_KEYS = ("path", "image_id", "study_id")
_CONVERTED: dict[str, Callable[[pd.Series], pd.Series]] = {
    "view": values.views,
    "age": values.ages,
    "sex": values.sexes,
    "split": values.splits,
    "frame": values.frames,
    **dict.fromkeys(LABELS, values.labels),
}


@dataclass(frozen=True)
class Told:
    """`rows` have the columns of the cohort that the tables have, and `row` and `table`, by which the user knows them.

    A row's `path` is the file it names. `by_number` are rows that name no path but an image or a study. `set_aside` are
    the files of rows that were, which must not come in by another way; `tables` are those that said something.
    """

    rows: pd.DataFrame
    by_number: pd.DataFrame
    problems: tuple[Problem, ...] = ()
    set_aside: frozenset[str] = field(default=frozenset(), repr=False)
    tables: frozenset[str] = frozenset()


def is_table(file: str) -> bool:
    return PurePosixPath(file).suffix.lower() in (*CSV_SUFFIXES, *WORKBOOK_SUFFIXES)


def refuse_unknown_names(headers: Iterable[list[str]], options: InputOptions) -> None:
    """A column the user maps must be in some table: a slip of the pen would leave it out silently."""
    wanted = {squeezed(name): name for _, name in options.columns}
    for header in headers:
        for name in header:
            wanted.pop(squeezed(name), None)
    if wanted:
        raise InputError(f"no table has a column called {next(iter(wanted.values()))}; check the name given to --map")


def told_by_tables(root: Path, tables: Iterable[str], files: FilesFor, options: InputOptions) -> Told:
    """`files` gives those among which the paths of a table are to be found."""
    headers = {table: header_of(root / table) for table in tables}
    refuse_unknown_names(headers.values(), options)
    gathered = _Gathered()
    for table, header in headers.items():
        columns = understood(header, options.columns)
        if not set(columns) & set(_KEYS) or len(columns) < 2:
            continue
        _Reading(root, table, columns, files, options, gathered).take()
    return gathered.told()


@dataclass
class _Gathered:
    rows: list[pd.DataFrame] = field(default_factory=list)
    by_number: list[pd.DataFrame] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    set_aside: set[str] = field(default_factory=set)
    tables: set[str] = field(default_factory=set)

    def told(self) -> Told:
        rows = _together(self.rows)
        rows = self._agreeing(rows)
        return Told(
            rows.reset_index(drop=True),
            _together(self.by_number).reset_index(drop=True),
            tuple(self.problems),
            frozenset(self.set_aside),
            frozenset(self.tables),
        )

    def _agreeing(self, rows: pd.DataFrame) -> pd.DataFrame:
        """One row for each frame of a file, and one patient."""
        place = [rows["path"], rows["frame"].fillna(0)] if "frame" in rows else [rows["path"]]
        if not pd.concat(place, axis=1).duplicated().any() and "frame" not in rows:
            return rows
        owners = rows["patient_id"].fillna("").groupby(rows["path"]).transform("nunique")
        rows = self.without(rows, owners > 1, DISAGREE)
        repeated = pd.concat([column[rows.index] for column in place], axis=1).duplicated()
        return self.without(rows, repeated, REPEATS, keep_file=True)

    def without(self, rows: pd.DataFrame, bad: pd.Series, reason: str, *, keep_file: bool = False) -> pd.DataFrame:
        if not bad.any():
            return rows
        self.problems += row_problems(rows[bad], reason)
        if not keep_file:
            self.set_aside |= set(rows["path"][bad].dropna())
        return rows[~bad]


def row_problems(rows: pd.DataFrame, reason: str) -> list[Problem]:
    return [Problem(f"row {row} of {table}", reason) for row, table in zip(rows["row"], rows["table"], strict=True)]


def rows_set_aside(problems: Iterable[Problem]) -> dict[str, frozenset[int]]:
    """The numbers of rows that are problems, by table."""
    found: dict[str, set[int]] = {}
    for problem in problems:
        if row := _ROW.fullmatch(problem.path):
            found.setdefault(row["table"], set()).add(int(row["number"]))
    return {table: frozenset(numbers) for table, numbers in found.items()}


def _together(tables: list[pd.DataFrame]) -> pd.DataFrame:
    if not tables:
        return pd.DataFrame({name: pd.Series(dtype="str") for name in ("path", "patient_id", "row", "table")})
    table = pd.concat(tables, ignore_index=True)
    return table if "patient_id" in table else table.assign(patient_id=pd.Series(None, index=table.index, dtype="str"))


@dataclass
class _Reading:
    """One table on its way to rows."""

    root: Path
    table: str
    columns: dict[str, str]
    files: FilesFor
    options: InputOptions
    gathered: _Gathered

    def take(self) -> None:
        table = read_table(self.root / self.table)
        raw = pd.DataFrame(
            {name: table.cells[column] for name, column in self.columns.items() if column in table.cells}
        )
        raw = raw.assign(row=raw.index, table=self.table).reset_index(drop=True)
        problems = [Problem(f"row {number} of {self.table}", reason) for number, reason in table.broken]
        if "path" in raw:
            self._by_path(raw, table, problems)
        else:
            rows, bad = self._converted(raw, table)
            # whether these rows are about any file is known when the headers are; then the bad ones are told
            self.gathered.by_number.append(rows.assign(bad=bad))

    def _by_path(self, raw: pd.DataFrame, table: Table, problems: list[Problem]) -> None:
        folder = str(PurePosixPath(self.table).parent)
        named = values.said(raw["path"])
        found, reasons = FileFinder(self.root, self.files(raw["path"]), folder).find(raw["path"].where(named))
        if not found.notna().any():
            return  # it speaks of other files than these
        self.gathered.tables.add(self.table)
        self.gathered.problems += problems
        rows, bad = self._converted(raw.assign(path=found), table)
        bad = bad.fillna(reasons).mask(~named, "row without path")
        if "patient_id" in rows:
            bad = bad.mask(bad.isna() & ~values.said(rows["patient_id"]), "row without patient id")
        good = rows
        for reason in bad.dropna().unique():
            good = self.gathered.without(good, bad[good.index].eq(reason), reason)
        self.gathered.rows.append(good)

    def _converted(self, raw: pd.DataFrame, table: Table) -> tuple[pd.DataFrame, pd.Series]:
        """The cells in the cohort's words, and the reason why a row is set aside."""
        bad = pd.Series(None, index=raw.index, dtype="str")
        rows = raw.copy()
        for column in COLUMNS:
            if column not in raw or column == "path":
                continue
            present = values.said(raw[column])
            cells = raw[column].where(present)
            if column == "date":
                where = f"{self.table}, column {self.columns['date']}"
                rows[column] = parse_dates(cells, self.options.date_order, serials_from=table.serials_from, where=where)
            elif column in _CONVERTED:
                rows[column] = _CONVERTED[column](cells)
            elif column == "report":
                continue
            else:
                rows[column] = cells.str.strip()
                continue
            unread = present & rows[column].isna()
            bad = bad.mask(bad.isna() & unread, f"row with an unreadable {_plain(column)}")
        return rows, bad


def _plain(column: str) -> str:
    return "label" if column in LABELS else column
