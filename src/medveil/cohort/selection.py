"""Which images of a data set to use: of which views, and of which part, by its own lists or dealt anew by patient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.cohort.cohort import Cohort
from medveil.cohort.schema import SPLITS, VIEWS
from medveil.cohort.splits import Shares, assign_splits
from medveil.errors import InputError, SettingsError

LISTS = "lists"
OTHER_VIEW = "of another view than asked for, or of none that is told"
OTHER_PART = "in another part than asked for"

Reasons = dict[str, int]  # why images are left out, and how many


@dataclass(frozen=True)
class Selection:
    """Views and splits to keep, all if none is named; `shares` of train, val and test, in percent of the patients, take
    the place of the data set's own lists."""

    views: tuple[str, ...] = ()
    splits: tuple[str, ...] = ()
    shares: Shares | None = None

    def __post_init__(self) -> None:
        for name, chosen, known in (("view", self.views, VIEWS), ("split", self.splits, SPLITS)):
            if not set(chosen) <= set(known):
                raise SettingsError(f"a {name} is one of {', '.join(known)}")

    @classmethod
    def told(
        cls, views: Sequence[str] | None = None, splits: Sequence[str] | None = None, split_by: str = LISTS
    ) -> Selection:
        """As the command line tells it."""
        return cls(tuple(views or ()), tuple(splits or ()), _shares(split_by))

    def of(self, cohort: Cohort) -> tuple[Cohort, Reasons]:
        """The images to use, and how many others there are for which reason."""
        table, keep, reasons = self.within(cohort.table)
        return replace(cohort, table=table).where(keep), reasons

    def within(self, table: pd.DataFrame) -> tuple[pd.DataFrame, NDArray[np.bool_], Reasons]:
        """The table with the splits that count, which of its rows to use, and why others are left out."""
        if self.shares is not None:
            table = table.assign(split=assign_splits(_column(table, "patient_id"), shares=self.shares))
        seen = _among(table, "view", self.views)
        part = _among(table, "split", self.splits)
        for name, chosen, kept in (("views", self.views, seen), ("parts", self.splits, part)):
            if chosen and not kept.any():
                more = " or deal the patients anew with --split-by" if name == "parts" and self.shares is None else ""
                raise InputError(f"the data set has no images of the {name} {', '.join(chosen)}; ask for others{more}")
        if not (seen & part).any():
            raise InputError("the data set has no images of that view in that part; ask for others")
        counts = {OTHER_VIEW: int((~seen).sum()), OTHER_PART: int((seen & ~part).sum())}
        return table, seen & part, {reason: count for reason, count in counts.items() if count}


def _among(table: pd.DataFrame, column: str, chosen: tuple[str, ...]) -> NDArray[np.bool_]:
    if not chosen:
        return np.ones(len(table), dtype=bool)
    return _column(table, column).isin(chosen).to_numpy(dtype=bool)


def _column(table: pd.DataFrame, column: str) -> pd.Series:
    if column not in table:
        raise InputError(f"choosing images by {column} needs a column of that name; add it to the table")
    return table[column]


def _shares(split_by: str) -> Shares | None:
    if split_by == LISTS:
        return None
    parts = split_by.split("/")
    if len(parts) == 3 and all(part.isdecimal() for part in parts):
        train, val, test = (int(part) for part in parts)
        if train + val + test == 100:
            return train, val, test
    raise SettingsError(
        f"patients are in parts by the data set's own {LISTS}, or dealt by shares in percent for train, val and test "
        "that add up to 100, such as 72/8/20"
    )
