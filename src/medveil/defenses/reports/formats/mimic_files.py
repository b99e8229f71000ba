"""MIMIC-CXR's tree of reports: `files/p10/p10000032/s50414267.txt`. The ids stand in the path, not in the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath

_PLACE = re.compile(r"(?:^|/)p\d\d/p(?P<patient>\d{1,12})/s(?P<study>\d{1,12})\.txt$")


@dataclass(frozen=True)
class MimicReport:
    patient_id: str
    study_id: str


def mimic_report(path: PurePath) -> MimicReport | None:
    """Whose report this file is, or None where it is not one of the tree."""
    match = _PLACE.search(path.as_posix())
    return MimicReport(match["patient"], match["study"]) if match else None
