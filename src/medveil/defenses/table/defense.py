"""Rows of tables, the one entrance: keyed pseudonyms, moved dates, ages in years or bands; other columns go.

How much is told of ages and dates is set by hand, or by a plan that was searched for on the whole table (`search`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from medveil.defenses.table.carried_plan import CarriedPlan
from medveil.defenses.table.generalisation import EVERYTHING, Node, Sites, Studies
from medveil.errors import Quarantined, SettingsError
from medveil.parts import Guarantee, Subject, register_defense
from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.person.telling import OLDEST_SHOWN, Dates, Telling, Tellings

POOLED = "site-others"
TOO_FEW_ALIKE = "too few patients alike in the table"
LATER_STUDY = "later study than the plan of the table releases of this patient"
NOT_COVERED = "DICOM header, of which the table's settings tell less than this file would"


@register_defense
class PseudonymousRecords:
    """Replaces ids and site by pseudonyms, moves dates by a shift of the patient's own, and tells no more than was set.

    Of a table of reports, the column of the patient gets the pseudonym; its other columns are texts or left out.
    """

    name = "table"
    title = "Identifiers in the table"
    place = "table"
    order = 30
    default = True
    guarantee = Guarantee(
        "by construction",
        "Patient, study, image and site are replaced by keyed pseudonyms (HMAC-SHA-256); without the key they can be "
        "neither computed nor undone. Dates move by 7 to 365 days, a shift of the patient's own; ages are given in "
        "whole years, 90 and more as 90. Splits are dealt anew from the pseudonyms.",
    )
    limits: tuple[str, ...] = (
        "Intervals between a patient's studies are kept exactly; someone who knows several visit dates may match them.",
        "Age, sex, view, labels and the shifted year are released as they are.",
    )

    @dataclass(frozen=True)
    class Settings:
        """The columns of tables of reports: which hold reports, which says whose, which others are kept, cleaned. And
        how much of the table of images is told: years in a band of ages (0 for none), sites, dates, studies of a
        patient. `plan` is written by a search for these; sites are merged and later studies withheld by a plan alone.
        """

        report_columns: tuple[str, ...] = ()
        patient_column: str | None = None
        keep_columns: tuple[str, ...] = ()
        ages: Literal[1, 5, 10, 20, 0] = 1
        sites: Sites = "kept"
        dates: Dates = "day"
        studies: Studies = "all"
        plan: str = ""

        def __post_init__(self) -> None:
            if len(set(self.named)) < len(self.named):
                raise SettingsError("a column is named twice; name each once, for reports, patients or to keep")
            if self.plan and CarriedPlan.read(self.plan).node != self.node:
                raise SettingsError("ages, sites, dates and studies are set otherwise than the plan of the table says")
            if not self.plan and (self.sites == "merged" or self.studies == "first"):
                raise SettingsError(
                    "which sites to merge and which studies are the first is found by a plan of the whole table; "
                    "leave both out, or make one with --protect table"
                )

        @property
        def named(self) -> tuple[str, ...]:
            return (*self.report_columns, *filter(None, (self.patient_column,)), *self.keep_columns)

        @property
        def node(self) -> Node:
            return Node(self.ages, self.sites, self.dates, self.studies)

        @property
        def tellings(self) -> Tellings:
            """What is told of ages, dates and sites, here and in reports."""
            plan = CarriedPlan.read(self.plan)
            usual = Telling(self.ages, self.dates, self.sites == "kept")
            return Tellings(usual, plan.no_age, plan.no_date, plan.no_site)

        @property
        def tells_less(self) -> bool:
            return bool(self.plan) or self.node != EVERYTHING

    def __init__(self, keys: Keys, settings: Settings | None = None) -> None:
        self.settings = settings or self.Settings()
        self.keys = replace(keys, tellings=self.settings.tellings)
        if self.settings.tells_less:
            from medveil.defenses.table.promise import promise

            self.guarantee, self.limits = promise(self.settings.node, self.plan)

    @cached_property
    def plan(self) -> CarriedPlan:
        return CarriedPlan.read(self.settings.plan)

    def refuse(self, subject: Subject) -> None:
        """What the plan withholds, told by the true ids."""
        if subject.dataset is not None and self.settings.tells_less:
            raise Quarantined(NOT_COVERED)
        if not self.settings.plan:
            return
        if self.keys.digest("patient", subject.person.patient_id) in self.plan.withheld:
            raise Quarantined(TOO_FEW_ALIKE)
        if subject.row is not None and self.keys.digest("study", subject.row["study_id"]) in self.plan.later:
            raise Quarantined(LATER_STUDY)

    def apply(self, subject: Subject) -> Subject:
        self.refuse(subject)
        if subject.row is not None:
            self._clean(subject, subject.row, replace(subject.person, keys=self.keys))
        return subject

    def _tell_site(self, subject: Subject, row: dict[str, Any]) -> None:
        plan = self.plan
        patient = self.keys.digest("patient", subject.person.patient_id) if plan.no_site else ""
        if self.settings.sites == "dropped" or patient in plan.no_site:
            row["site"] = None
            subject.note("site names removed")
        elif plan.pooled and self.keys.digest("site", row["site"]) in plan.pooled:
            row["site"] = POOLED
            subject.note("sites merged")
        else:
            row["site"] = "site-" + self.keys.pseudonym("site", row["site"])[:6]
            subject.note("site names replaced")

    def _clean(self, subject: Subject, row: dict[str, Any], person: Person) -> None:
        import pandas as pd

        from medveil.cohort.splits import split_of

        telling = person.telling
        for kind in ("patient", "study", "image"):
            if f"{kind}_id" in row:
                row[f"{kind}_id"] = self.keys.pseudonym(kind, row[f"{kind}_id"])
                subject.note(f"{kind} identifiers replaced")
        if pd.notna(row.get("site")):
            self._tell_site(subject, row)
        if pd.notna(row.get("date")):
            day = telling.day(person.moved(row["date"].date()))
            row["date"] = pd.NaT if day is None else pd.Timestamp(day)
            subject.note(_ON_DATES[telling.dates])
        if pd.notna(row.get("age")):
            if telling.ages != 1:
                subject.note(f"ages given in bands of {telling.ages} years" if telling.ages else "ages removed")
            if row["age"] >= OLDEST_SHOWN and telling.ages:
                subject.note("ages of 90 and more capped")
            row["age"] = telling.age(row["age"])
        if "split" in row:
            row["split"] = split_of(row["patient_id"])  # the old one follows from the true id and could confirm a guess
        if "path" in row:
            row["path"] = f"images/{row['image_id'][:2]}/{row['image_id']}.png"
            row["frame"] = 0
            subject.note("file names replaced")


_ON_DATES = {
    "day": "dates shifted and times of day removed",
    "blurred": "dates shifted and intervals between them blurred",
    "month": "dates shifted and given to the month",
    "quarter": "dates shifted and given to the quarter",
    "year": "dates shifted and given to the year",
    "dropped": "dates removed",
}
