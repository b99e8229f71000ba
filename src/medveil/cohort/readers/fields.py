"""A data set's own tables on their way to the cohort: reading them, and the rows that are left out."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pandas as pd

from medveil.cohort.cohort import Problem
from medveil.cohort.schema import LABELS, REQUIRED
from medveil.cohort.tables.reading import read_table as read
from medveil.errors import InputError


def read_table(path: Path, needed: Collection[str] = ()) -> pd.DataFrame:
    """A data set's own table, every column as text and exactly as written; empty cells are missing."""
    return read(path, needed).cells.reset_index(drop=True)


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
