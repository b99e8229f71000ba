"""Reports are withheld: no free text is released until something can clean it."""

from __future__ import annotations

import pandas as pd

from medveil.defenses.keys import Keys
from medveil.parts import Guarantee, Record, register_defense


@register_defense
class WithheldReports:
    """Removes the report of every study."""

    name = "withhold-reports"
    title = "Report text"
    covers = ("reports",)
    order = 20
    guarantee = Guarantee("formal", "No report text is released.")
    limits = ("The reports are lost to the users of the release.",)

    def __init__(self, keys: Keys) -> None: ...

    def apply(self, record: Record) -> Record:
        if pd.notna(record.row["report"]):
            record.note("reports withheld")
        record.row["report"] = None
        return record
