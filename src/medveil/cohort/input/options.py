"""What the user says of the data where they do not say it themselves: names of columns, and the order of dates."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from medveil.cohort.schema import COLUMNS
from medveil.errors import SettingsError

DateOrder = Literal["day-first", "month-first"]
KEYS = ("accession",)  # say which study a row is about, and are no column of the cohort
_PLAIN = {re.sub(r"\W+", "_", column.lower()): column for column in (*COLUMNS, *KEYS)}


@dataclass(frozen=True)
class InputOptions:
    """`columns` pairs a column of the cohort with the name it has in the tables at hand."""

    columns: tuple[tuple[str, str], ...] = ()
    date_order: DateOrder | None = None

    @classmethod
    def of(cls, columns: Iterable[str] | None = None, date_order: str | None = None) -> InputOptions:
        """From words the user typed: `patient_id=Patientennummer`, and `day-first` or `month-first`."""
        if date_order is not None and date_order not in get_args(DateOrder):
            raise SettingsError(f"the order of dates is one of {', '.join(get_args(DateOrder))}")
        pairs = [_pair(text) for text in columns or ()]
        if len({column for column, _ in pairs}) < len(pairs):
            raise SettingsError("a column is mapped twice; map each once")
        return cls(tuple(pairs), cast("DateOrder | None", date_order))

    def told(self) -> dict[str, Any]:
        """For the record of a run: the same words mean the same input."""
        return {"map": [f"{column}={name}" for column, name in self.columns], "date_order": self.date_order}


def _pair(text: str) -> tuple[str, str]:
    column, equals, name = text.partition("=")
    known = _PLAIN.get(re.sub(r"\W+", "_", column.strip().lower()))
    if not equals or not name.strip():
        raise SettingsError("a column is mapped as in --map patient_id=NAME, with its name in your table")
    if known is None:
        raise SettingsError(f"there is no column {column.strip()} to map to; choose from {', '.join(_PLAIN)}")
    return known, name.strip()
