"""What the user says of the data where they do not say it themselves: names of columns, and the order of dates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from medveil.cohort.tables.columns import CONTRACT, squeezed
from medveil.cohort.tables.dates import ORDERS, DateOrder
from medveil.errors import SettingsError


@dataclass(frozen=True)
class InputOptions:
    """`columns` pairs a column of the cohort with the name it has in the tables at hand."""

    columns: tuple[tuple[str, str], ...] = ()
    date_order: DateOrder | None = None

    @classmethod
    def of(cls, columns: Iterable[str] | None = None, date_order: str | None = None) -> InputOptions:
        """From words the user typed: `patient_id=Patientennummer`, and `day-first` or `month-first`."""
        if date_order is not None and date_order not in ORDERS:
            raise SettingsError(f"the order of dates is one of {', '.join(ORDERS)}")
        pairs = [_pair(text) for text in columns or ()]
        if len({column for column, _ in pairs}) < len(pairs):
            raise SettingsError("a column is mapped twice; map each once")
        return cls(tuple(pairs), cast("DateOrder | None", date_order))

    def told(self) -> dict[str, Any]:
        """For the record of a run: the same words mean the same input."""
        return {"map": [f"{column}={name}" for column, name in self.columns], "date_order": self.date_order}


def _pair(text: str) -> tuple[str, str]:
    column, equals, name = text.partition("=")
    known = CONTRACT.get(squeezed(column))
    if not equals or not name.strip():
        raise SettingsError("a column is mapped as in --map patient_id=NAME, with its name in your table")
    if known is None:
        raise SettingsError(
            f"there is no column {column.strip()} to map to; choose from {', '.join(CONTRACT.values())}"
        )
    return known, name.strip()
