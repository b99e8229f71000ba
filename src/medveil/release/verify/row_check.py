"""A released row of the table of images, column by column, against the row it came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from medveil.cohort.schema import COLUMNS, LABELS
from medveil.defenses.table.carried_plan import CarriedPlan
from medveil.defenses.table.defense import POOLED
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.person.telling import OLDEST_SHOWN, Telling
from medveil.release.clean.table_file import ColumnSettings
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
    """`told` is how much of the table was to be told."""

    keys: Keys
    told: ColumnSettings = field(default_factory=ColumnSettings)

    @property
    def _plan(self) -> CarriedPlan:
        return CarriedPlan.read(self.told.plan)

    def discrepancies(self, file: str, released: Row, original: Row, person: Person) -> Iterator[Discrepancy]:
        patient = self.keys.digest("patient", str(original["patient_id"])) if self.told.plan else ""
        if self._is_withheld(patient, str(original["study_id"])):
            yield Discrepancy(file, _CHECK, "", "X", "withheld by the plan", "released")
        for kind in _IDS:
            column = f"{kind}_id"
            if said := self._pseudonym(kind, str(released[column]), str(original[column])):
                yield Discrepancy(file, _CHECK, column, *said)
        for column, said in (
            ("site", self._site(released["site"], original["site"], patient)),
            ("date", _moved(released["date"], original["date"], person)),
            ("age", _in_band(released["age"], original["age"], person.telling)),
            *((column, _kept(released[column], original[column])) for column in _KEPT),
        ):
            if said:
                yield Discrepancy(file, "intervals" if column == "date" else _CHECK, column, *said)

    def _is_withheld(self, patient: str, study: str) -> bool:
        plan = self._plan
        return patient in plan.withheld or bool(plan.later and self.keys.digest("study", study) in plan.later)

    def _site(self, new: Any, old: Any, patient: str) -> Said | None:
        if pd.isna(new):
            return None
        if self.told.sites == "dropped" or patient in self._plan.no_site:
            return "X", "not told", "a site"
        if self._plan.pooled and pd.notna(old) and self.keys.digest("site", old) in self._plan.pooled:
            return None if new == POOLED else ("X", "merged with others", "a site of its own")
        return _replaced(new, old)

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
    told = None if pd.isna(old) else person.telling.day(person.moved(pd.Timestamp(old).date()))
    if told is None or new != pd.Timestamp(told):
        return "C", "moved by the person's shift", "another date"
    return None


def _in_band(new: Any, old: Any, telling: Telling) -> Said | None:
    if pd.isna(new):
        return ("K", KEPT, "missing") if pd.notna(old) and telling.ages else None
    if new > OLDEST_SHOWN:
        return "C", f"{OLDEST_SHOWN} at most", "a greater age"
    if pd.notna(old) and new == telling.age(old):
        return None
    return ("K", KEPT, "changed") if telling.ages == 1 else ("C", "told in its band", "another age")


def _kept(new: Any, old: Any) -> Said | None:
    if pd.isna(old):
        return None if pd.isna(new) else ("K", KEPT, "changed")
    if pd.isna(new):
        return "K", KEPT, "missing"
    return None if new == old else ("K", KEPT, "changed")
