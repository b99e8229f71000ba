"""Who a row of a cohort is about, and what is known of that person: from the row, its file's header and its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from medveil.cohort.dicom.opening import has_prefix, head_of, open_dicom
from medveil.cohort.images import inside
from medveil.defenses.headers.known_in_header import known_in
from medveil.person.identifiers import Category
from medveil.person.keys import Keys
from medveil.person.person import Known, Person
from medveil.release.clean.people import known_in_name

_IDS = (("patient_id", Category.MRN), ("study_id", Category.OTHER_ID), ("image_id", Category.OTHER_ID))
_SHORTEST_ID = 5  # characters; a study called 2 is not known by its number


def person_of_row(row: dict[str, Any], root: Path, keys: Keys) -> Person:
    """Raises Quarantined where the header cannot be read: a report is not cleaned without what it tells."""
    known = [Known(kind, row[column]) for column, kind in _IDS if len(row[column]) >= _SHORTEST_ID]
    if pd.notna(row["date"]):
        known.append(Known(Category.DATE, f"{row['date']:%Y%m%d}"))
    known += sorted(known_in_name(row["path"]))
    file = inside(root, row["path"])
    if has_prefix(head_of(file)):
        known += known_in(open_dicom(file, pixels=False))
    sex = row["sex"] if pd.notna(row["sex"]) else ""
    return Person(keys, row["patient_id"], tuple(dict.fromkeys(known)), sex)
