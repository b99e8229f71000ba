"""The table's own identifiers: keyed pseudonyms, shifted dates, capped ages."""

from __future__ import annotations

import math

import pandas as pd

from medveil.cohort.splits import split_of
from medveil.parts import Guarantee, Record, register_defense
from medveil.person.keys import Keys

OLDEST_SHOWN = 90


@register_defense
class PseudonymousRecords:
    """Replaces ids, site and file name by pseudonyms, moves dates by a shift of the patient's own."""

    name = "records"
    title = "Identifiers in the table"
    covers = ("records",)
    order = 10
    guarantee = Guarantee(
        "formal",
        "Patient, study, image and site are replaced by keyed pseudonyms (HMAC-SHA-256); without the key they can be "
        "neither computed nor undone. Dates move by 1 to 365 days, a shift of the patient's own; ages are given in "
        "whole years, 90 and more as 90. Splits are dealt anew from the pseudonyms.",
    )
    limits = (
        "Intervals between a patient's studies are kept exactly; someone who knows several visit dates may match them.",
        "Age, sex, view, labels and the shifted year are released as they are.",
    )

    def __init__(self, keys: Keys) -> None:
        self.keys = keys

    def apply(self, record: Record) -> Record:
        row = record.row
        shift = self.keys.date_shift(row["patient_id"])
        for kind in ("patient", "study", "image"):
            row[f"{kind}_id"] = self.keys.pseudonym(kind, row[f"{kind}_id"])
            record.note(f"{kind} identifiers replaced")
        if pd.notna(row["site"]):
            row["site"] = "site-" + self.keys.pseudonym("site", row["site"])[:6]
            record.note("site names replaced")
        if pd.notna(row["date"]):
            row["date"] = row["date"].normalize() - pd.Timedelta(days=shift)
            record.note("dates shifted and times of day removed")
        if pd.notna(row["age"]):
            if row["age"] >= OLDEST_SHOWN:
                record.note("ages of 90 and more capped")
            row["age"] = min(math.floor(row["age"]), OLDEST_SHOWN)
        row["split"] = split_of(row["patient_id"])  # the old one follows from the true id and could confirm a guess
        row["path"] = f"images/{row['image_id'][:2]}/{row['image_id']}.png"
        row["frame"] = 0
        record.note("file names replaced")
        return record
