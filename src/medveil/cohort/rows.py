"""Collecting the rows of a cohort one by one, in little memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from medveil.cohort.schema import conform

CHUNK = 1000  # rows


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
