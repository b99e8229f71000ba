"""A released row of the table of images, column by column, against the row it came from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from medveil.cohort.schema import COLUMNS, LABELS
from medveil.defenses.table.defense import OLDEST_SHOWN
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.release.verify.discrepancy import KEPT, Discrepancy

_CHECK = "row"
_IDS = ("patient", "study", "image")
_KEPT = ("view", "sex", *LABELS)
# The report is checked as a text, the path by the file that lies there; frame and split are made anew.
_ELSEWHERE = frozenset({"report", "path", "frame", "split"})
CHECKED = frozenset({*(f"{kind}_id" for kind in _IDS), "site", "date", "age", *_KEPT})
assert set(COLUMNS) == CHECKED | _ELSEWHERE

Said = tuple[str, str, str]  # action, expected, found
Row = Mapping[str, Any]


@dataclass(frozen=True)
class RowCheck:
    keys: Keys

    def discrepancies(self, file: str, released: Row, original: Row, person: Person) -> Iterator[Discrepancy]:
        for kind in _IDS:
            column = f"{kind}_id"
            if said := self._pseudonym(kind, str(released[column]), str(original[column])):
                yield Discrepancy(file, _CHECK, column, *said)
        for column, said in (
            ("site", _replaced(released["site"], original["site"])),
            ("date", _moved(released["date"], original["date"], person)),
            ("age", _capped(released["age"], original["age"])),
            *((column, _kept(released[column], original[column])) for column in _KEPT),
        ):
            if said:
                yield Discrepancy(file, "intervals" if column == "date" else _CHECK, column, *said)

    def _pseudonym(self, kind: str, new: str, old: str) -> Said | None:
        if new == old:
            return "X", "replaced", "as in the source"
        if new != self.keys.pseudonym(kind, old):
            return "X", "the pseudonym of the source's", "another id"
        return None


def _replaced(new: Any, old: Any) -> Said | None:
    return ("X", "replaced", "as in the source") if pd.notna(new) and new == old else None


def _moved(new: Any, old: Any, person: Person) -> Said | None:
    """To the day; a date that was dropped tells nothing."""
    if pd.isna(new):
        return None
    if pd.isna(old) or new != pd.Timestamp(old).normalize() - person.shift:
        return "C", "moved by the person's shift", "another date"
    return None


def _capped(new: Any, old: Any) -> Said | None:
    if pd.isna(new):
        return ("K", KEPT, "missing") if pd.notna(old) else None
    if new > OLDEST_SHOWN:
        return "C", f"{OLDEST_SHOWN} at most", "a greater age"
    return None if pd.notna(old) and new == min(math.floor(old), OLDEST_SHOWN) else ("K", KEPT, "changed")


def _kept(new: Any, old: Any) -> Said | None:
    if pd.isna(old):
        return None if pd.isna(new) else ("K", KEPT, "changed")
    if pd.isna(new):
        return "K", KEPT, "missing"
    return None if new == old else ("K", KEPT, "changed")
