"""Rows of tables, the one entrance: keyed pseudonyms, shifted dates, capped ages; columns that nobody named go."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from medveil.errors import SettingsError
from medveil.parts import Guarantee, Subject, register_defense
from medveil.person.keys import Keys

OLDEST_SHOWN = 90


@register_defense
class PseudonymousRecords:
    """Replaces ids and site by pseudonyms, moves dates by a shift of the patient's own.

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
        "neither computed nor undone. Dates move by 1 to 365 days, a shift of the patient's own; ages are given in "
        "whole years, 90 and more as 90. Splits are dealt anew from the pseudonyms.",
    )
    limits = (
        "Intervals between a patient's studies are kept exactly; someone who knows several visit dates may match them.",
        "Age, sex, view, labels and the shifted year are released as they are.",
    )

    @dataclass(frozen=True)
    class Settings:
        """The columns of tables of reports: which hold reports, which says whose, which others are kept, cleaned."""

        report_columns: tuple[str, ...] = ()
        patient_column: str | None = None
        keep_columns: tuple[str, ...] = ()

        def __post_init__(self) -> None:
            if len(set(self.named)) < len(self.named):
                raise SettingsError("a column is named twice; name each once, for reports, patients or to keep")

        @property
        def named(self) -> tuple[str, ...]:
            return (*self.report_columns, *filter(None, (self.patient_column,)), *self.keep_columns)

    def __init__(self, keys: Keys, settings: Settings | None = None) -> None:
        self.keys = keys
        self.settings = settings or self.Settings()

    def apply(self, subject: Subject) -> Subject:
        if subject.row is not None:
            self._clean(subject, subject.row)
        return subject

    def _clean(self, subject: Subject, row: dict[str, Any]) -> None:
        import pandas as pd

        from medveil.cohort.splits import split_of

        for kind in ("patient", "study", "image"):
            if f"{kind}_id" in row:
                row[f"{kind}_id"] = self.keys.pseudonym(kind, row[f"{kind}_id"])
                subject.note(f"{kind} identifiers replaced")
        if pd.notna(row.get("site")):
            row["site"] = "site-" + self.keys.pseudonym("site", row["site"])[:6]
            subject.note("site names replaced")
        if pd.notna(row.get("date")):
            row["date"] = row["date"].normalize() - subject.person.shift
            subject.note("dates shifted and times of day removed")
        if pd.notna(row.get("age")):
            if row["age"] >= OLDEST_SHOWN:
                subject.note("ages of 90 and more capped")
            row["age"] = min(math.floor(row["age"]), OLDEST_SHOWN)
        if "split" in row:
            row["split"] = split_of(row["patient_id"])  # the old one follows from the true id and could confirm a guess
        if "path" in row:
            row["path"] = f"images/{row['image_id'][:2]}/{row['image_id']}.png"
            row["frame"] = 0
            subject.note("file names replaced")
