"""From a data set's own columns to those of the cohort table: tables, views, sexes, ages, labels, rows left out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import pandas as pd

from medveil.cohort.cohort import Problem
from medveil.cohort.dicom.metadata import view_of
from medveil.cohort.schema import LABELS, OLDEST, REQUIRED
from medveil.errors import InputError

_SEXES = {"m": "M", "male": "M", "f": "F", "female": "F", "o": "O", "other": "O"}
_SPLITS = {
    "train": "train",
    "training": "train",
    "val": "val",
    "valid": "val",
    "validate": "val",
    "validation": "val",
    "dev": "val",
    "test": "test",
    "testing": "test",
    "external": "test",
}


def read_table(path: Path, needed: Collection[str] = ()) -> pd.DataFrame:
    """A CSV file, plain or gzipped, every column as text and exactly as written; empty cells are missing."""
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    except (OSError, EOFError, ValueError, pd.errors.ParserError):
        # ValueError: bytes that are not UTF-8, an empty file, or rows of different widths
        raise InputError(f"{path} is not a readable CSV file in UTF-8; export it again") from None
    missing = [column for column in needed if column not in table.columns]
    if missing:
        raise InputError(f"{path} lacks the column {missing[0]!r}; is it the original table?")
    return table


def header_of(path: Path) -> list[str]:
    """The column names of a CSV file, or none where it cannot be read."""
    try:
        return list(pd.read_csv(path, dtype=str, nrows=0).columns)
    except (OSError, EOFError, ValueError, pd.errors.ParserError):
        return []


def looked_up(values: pd.Series, words: Mapping[str, str | None]) -> pd.Series:
    """Each value's entry as text, missing where there is none (also where there is none at all)."""
    return values.map(words).astype("str")


def translated(values: pd.Series, words: Mapping[str, str]) -> pd.Series:
    """Known words, whatever their case, in the contract's spelling; others are missing."""
    return looked_up(values.str.strip().str.lower(), words)


def sexes(values: pd.Series) -> pd.Series:
    return translated(values, _SEXES)


def splits(values: pd.Series) -> pd.Series:
    return translated(values, _SPLITS)


def views(values: pd.Series) -> pd.Series:
    return looked_up(values, {value: view_of(value) for value in values.dropna().unique()})


def ages(values: pd.Series, oldest: int = OLDEST) -> pd.Series:
    """Years as numbers, also from "058Y" or "006M"; impossible ones are missing."""
    parts = values.str.strip().str.upper().str.extract(r"^(\d+(?:\.\d+)?)\s*([YMWD]?)$")
    units = parts[1].map({"": 1.0, "Y": 1.0, "M": 1 / 12, "W": 1 / 52.1775, "D": 1 / 365.2425})
    years = pd.to_numeric(parts[0]) * units.astype(float)
    return years.where(years <= oldest)


def label_columns(table: pd.DataFrame) -> pd.DataFrame:
    """The label columns of a table as numbers."""
    found = [label for label in LABELS if label in table.columns]
    try:
        return table[found].apply(pd.to_numeric)
    except (ValueError, TypeError):
        raise InputError("a label column holds a value that is not 1, 0, -1 or empty") from None


def complete_rows(table: pd.DataFrame) -> tuple[pd.DataFrame, list[Problem]]:
    """The rows that have what the contract requires; each other one is a problem."""
    problems = []
    keep = pd.Series(True, index=table.index)
    for column in sorted(REQUIRED, key="path".__ne__):  # a path stands in for other names
        empty = keep & (table[column].isna() | (table[column] == ""))
        problems += [
            Problem(f"row {row + 1}", f"row without {column.replace('_', ' ')}")
            for row in empty.to_numpy().nonzero()[0]
        ]
        keep &= ~empty
    return table[keep], problems


def present_rows(table: pd.DataFrame, files: Collection[str]) -> tuple[pd.DataFrame, list[Problem]]:
    """The rows whose file is there; each other one is a problem."""
    here = table["path"].isin(files)
    return table[here], [Problem(path, "missing file") for path in table["path"][~here]]


def unlisted(files: Collection[str], table: pd.DataFrame) -> list[Problem]:
    """Images no row speaks of."""
    return [Problem(file, "not in the table") for file in sorted(set(files) - set(table["path"]))]
