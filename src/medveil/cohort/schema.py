"""The contract of the cohort table: its columns, their types, and a validation that names row and column.

`Rows` collects such a table row by row.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from medveil.errors import InputError

LABELS = (
    "No Finding",
    "Enlarged Cardiomediastinum",
    "Cardiomegaly",
    "Lung Opacity",
    "Lung Lesion",
    "Edema",
    "Consolidation",
    "Pneumonia",
    "Atelectasis",
    "Pneumothorax",
    "Pleural Effusion",
    "Pleural Other",
    "Fracture",
    "Support Devices",
)
VIEWS = ("PA", "AP", "LATERAL", "OTHER")
SEXES = ("F", "M", "O")
SPLITS = ("train", "val", "test")

TEXT_COLUMNS = ("image_id", "patient_id", "study_id", "site", "path", "report")
CHOICES = {"view": VIEWS, "sex": SEXES, "split": SPLITS}
COLUMNS = (
    "image_id",
    "patient_id",
    "study_id",
    "site",
    "view",
    "path",
    "frame",
    "report",
    "age",
    "sex",
    "date",
    "split",
    *LABELS,
)
REQUIRED = ("image_id", "patient_id", "study_id", "path")
OLDEST = 130  # years; older is a typing error
CHUNK = 1000  # rows


def conform(table: pd.DataFrame) -> pd.DataFrame:
    """The table with every column of the contract, in order and in its type; what is absent is missing."""
    unknown = [column for column in table.columns if column not in COLUMNS]
    if unknown:
        raise InputError(
            f"the cohort table has {len(unknown)} column(s) outside the contract, the first at position "
            f"{list(table.columns).index(unknown[0]) + 1}; rename or drop them"
        )
    columns = {column: _typed(table, column) for column in COLUMNS}
    return pd.DataFrame(columns, index=pd.RangeIndex(len(table)), copy=False)


def _typed(table: pd.DataFrame, column: str) -> pd.Series:
    index = pd.RangeIndex(len(table))
    if column not in table.columns:
        return pd.Series(0 if column == "frame" else None, index=index, dtype=_dtype(column))
    values = table[column].set_axis(index)
    if column in CHOICES:
        strange = values.notna() & ~values.isin(CHOICES[column])
        if strange.any():
            raise InputError(
                f"row {_first(strange)}, column {column}: the value is not one of {', '.join(CHOICES[column])}"
            )
    try:
        return values.astype(_dtype(column))
    except (ValueError, TypeError):
        raise InputError(f"column {column} holds a value that is not {_KINDS[_kind(column)]}") from None


def _kind(column: str) -> str:
    if column in TEXT_COLUMNS:
        return "text"
    if column in CHOICES:
        return "choice"
    return {"frame": "count", "date": "date"}.get(column, "number")


_KINDS = {
    "text": "text",
    "choice": "one of its allowed words",
    "count": "a whole number",
    "date": "a date",
    "number": "a number",
}


def _dtype(column: str) -> object:
    match _kind(column):
        case "text":
            return pd.StringDtype("pyarrow", na_value=float("nan"))
        case "choice":
            return pd.CategoricalDtype(CHOICES[column])
        case "count":
            return "int32"
        case "date":
            return "datetime64[s]"
        case _:
            return "float32"


def validate(table: pd.DataFrame) -> None:
    """Raise `InputError` naming the first offending row (from 1) and column; values are never printed."""
    if list(table.columns) != list(COLUMNS):
        raise InputError("the table's columns are not those of the cohort contract; build it with Cohort.of")
    if table.empty:
        raise InputError("the cohort has no images; check that the folder is the right one")
    for column in REQUIRED:
        _refuse(table[column].isna() | (table[column] == ""), column, "is empty but required")
    _refuse(table["image_id"].duplicated(), "image_id", "repeats an earlier row's image")
    _refuse(_escapes(table["path"]), "path", "leads outside the cohort's folder")
    _refuse(table["frame"] < 0, "frame", "is negative")
    _refuse((table["age"] < 0) | (table["age"] > OLDEST), "age", f"is not between 0 and {OLDEST}")
    for label in LABELS:
        _refuse(table[label].notna() & ~table[label].isin((-1, 0, 1)), label, "is not 1, 0, -1 or missing")
    _one_per(table, "study_id", "patient_id", "belongs to two patients")
    _one_per(table, "patient_id", "split", "is in two splits")


def _escapes(path: pd.Series) -> pd.Series:
    return path.str.startswith(("/", "\\")) | path.str.contains(
        r"(?:^|[/\\])\.\.(?:[/\\]|$)|^[A-Za-z]:|\x00", regex=True
    )


def _refuse(bad: pd.Series, column: str, what: str) -> None:
    if bad.any():
        raise InputError(f"row {_first(bad)}, column {column}: the value {what} ({int(bad.sum())} such rows)")


def _one_per(table: pd.DataFrame, key: str, column: str, what: str) -> None:
    """Every `key` may have one `column` value only: a patient in two splits would leak between them."""
    keys = pd.factorize(table[key])[0]
    values = pd.factorize(table[column])[0]
    first = pd.Series(values).groupby(keys).transform("first").to_numpy()
    _refuse(pd.Series(first != values), key, what)


def _first(bad: pd.Series) -> int:
    return int(bad.to_numpy().argmax()) + 1


class Rows:
    """Rows collected into typed tables as they come: a million dicts would not fit."""

    def __init__(self) -> None:
        self._tables: list[pd.DataFrame] = []
        self._rows: list[dict[str, Any]] = []

    def add(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        if len(self._rows) == CHUNK:
            self._pack()

    def extend(self, rows: Iterable[dict[str, Any]]) -> None:
        for row in rows:
            self.add(row)

    def _pack(self) -> None:
        table = pd.DataFrame(self._rows)
        if "date" in table:
            table["date"] = pd.to_datetime(table["date"])
        self._tables.append(conform(table))
        self._rows = []

    def table(self) -> pd.DataFrame:
        self._pack()
        return pd.concat(self._tables, ignore_index=True)
