"""The list of files that were set aside, for the steward alone: file names may identify people."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from medveil.cohort.cohort import Cohort
from medveil.runtime.storage import write_bytes


def write_problems(cohort: Cohort, path: Path) -> None:
    """As CSV, readable by its owner only."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("path", "reason"))
    writer.writerows((problem.path, problem.reason) for problem in cohort.problems)
    write_bytes(path, text.getvalue().encode(), private=True)
