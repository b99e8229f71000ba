"""One attack on its own: run on the data as they are, and reported in the same form as a release."""

from __future__ import annotations

from collections import Counter
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import medveil
from medveil.cohort import Cohort
from medveil.cohort.dicom.opening import head_of
from medveil.cohort.images import inside
from medveil.errors import Quarantined
from medveil.finding import Finding, Verdict
from medveil.release.examine import package_versions
from medveil.release.run import now
from medveil.report import write_report
from medveil.report.content import Comparison, Gap, Provenance, ReportContent, Subject


def report_attack(
    finding: Finding, cohort: Cohort, out: Path, *, command: str, seed: int, settings: dict[str, Any]
) -> tuple[Verdict, Path]:
    """Write report.html and report.json into `out`; returns the verdict and the page."""
    content = ReportContent(
        subject=Subject(
            name=cohort.name,
            patients=cohort.table["patient_id"].nunique(),
            studies=cohort.table["study_id"].nunique(),
            images=len(cohort) + len(cohort.problems),
            released=0,
            quarantined=dict(Counter(problem.reason for problem in cohort.problems)),
        ),
        removals=(),
        comparisons=(Comparison(None, finding),),
        gaps=(Gap("Everything else", "only this attack was run, and nothing was removed.", blocking=False),),
        provenance=Provenance(
            medveil=medveil.__version__,
            created=now(),
            command=command,
            seed=seed,
            input_sha256=_digest(cohort),
            key_fingerprint="none: nothing was replaced",
            packages=package_versions(),
            settings=settings,
        ),
    )
    return content.verdict, write_report(content, out)


def _digest(cohort: Cohort) -> str:
    """Of all images together, whatever their order: it says whether the input was the same, and of whom nothing."""
    each = sorted(_file_digest(cohort.root, path) for path in cohort.table["path"].unique())
    return sha256("".join(each).encode()).hexdigest()


def _file_digest(root: Path, path: str) -> str:
    try:
        real = inside(root, path)
        head_of(real)  # refuses pipes and devices, which would never end
        with real.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except (OSError, Quarantined):
        return "unreadable"
