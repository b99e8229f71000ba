"""The reports of a release, cleaned one by one."""

from __future__ import annotations

from functools import cached_property

import pandas as pd

from medveil.defenses.reports.cleaner import ReportCleaner
from medveil.parts import Guarantee, Record, register_defense
from medveil.person.identifiers import Category
from medveil.person.keys import Keys

_SPOKEN = {
    Category.NAME: "names",
    Category.DOCTOR: "names of staff",
    Category.INITIALS: "initials",
    Category.DATE: "dates",
    Category.TIME: "times of day",
    Category.AGE_OVER_89: "ages over 89",
    Category.MRN: "record numbers",
    Category.ACCESSION: "accession numbers",
    Category.SSN: "social security numbers",
    Category.HEALTH_PLAN: "health plan numbers",
    Category.PHONE: "telephone numbers",
    Category.FAX: "fax numbers",
    Category.EMAIL: "e-mail addresses",
    Category.URL: "web addresses",
    Category.ADDRESS: "addresses",
    Category.HOSPITAL: "hospital names",
    Category.DEVICE_SERIAL: "serial numbers of devices",
    Category.UID: "unique identifiers",
    Category.OTHER_ID: "other numbers",
}


@register_defense
class CleanReports:
    """Replaces every identifier in the report by a surrogate; dates move by the patient's own shift."""

    name = "clean-reports"
    title = "Report text"
    covers = ("reports",)
    order = 20
    guarantee = Guarantee(
        "measured",
        "Rules, a trained tagger and a search for what is known of the patient find identifiers in the text; "
        "surrogates of the same form replace them, dates move by the patient's own shift, and the result is read "
        "again. A report in which anything is still found is not released. How many identifiers are missed is measured "
        "on texts whose identifiers are known.",
    )
    limits = (
        "No search finds every identifier: a nickname or an unusual event may still point to a person.",
        "Intervals between the dates of a report are kept exactly.",
    )

    def __init__(self, keys: Keys) -> None: ...

    @cached_property
    def _cleaner(self) -> ReportCleaner:
        return ReportCleaner()

    def apply(self, record: Record) -> Record:
        row = record.row
        if pd.isna(row["report"]):
            return record
        cleaned = self._cleaner.clean(str(row["report"]), record.person)
        for found in cleaned.found:
            record.note(f"{_SPOKEN[found.category]} replaced in reports")
        record.note("reports cleaned" if cleaned.found else "reports found free of identifiers")
        row["report"] = cleaned.text
        return record
