"""One attack on its own: run on the data as they are, and reported in the same form as a release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import pandas as pd

import medveil
from medveil.cohort import Cohort
from medveil.cohort.dicom.opening import head_of
from medveil.cohort.images import inside
from medveil.errors import Quarantined
from medveil.finding import Finding, Verdict
from medveil.release.folder import now
from medveil.release.provenance import command_given, package_versions
from medveil.report import write_report
from medveil.report.content import Comparison, Gap, Provenance, ReportContent, ReportSubject


@dataclass(frozen=True)
class Input:
    """What was attacked, for the report: counts, and a digest that says of nobody anything."""

    subject: ReportSubject
    sha256: str

    @classmethod
    def of_cohort(cls, cohort: Cohort) -> Input:
        subject = ReportSubject(
            name=cohort.name,
            patients=cohort.table["patient_id"].nunique(),
            studies=cohort.table["study_id"].nunique(),
            images=len(cohort) + len(cohort.problems),
            released=0,
            quarantined=dict(Counter(problem.reason for problem in cohort.problems)),
        )
        return cls(subject, _digest(cohort))

    @classmethod
    def of_embeddings(cls, pairs: pd.DataFrame, files: Iterable[Path]) -> Input:
        """Vectors made elsewhere, and the table of their pairs; a pair of which nothing is known stands for itself."""
        patients, studies = (
            pairs[column].nunique() if column in pairs else len(pairs) for column in ("patient_id", "study_id")
        )
        subject = ReportSubject(
            name="Embeddings", patients=patients, studies=studies, images=len(pairs), released=0, quarantined={}
        )
        return cls(subject, _combined(map(_digest_of_file, files)))


@dataclass(frozen=True)
class AttackOutcome:
    """What one attack achieved: the answer in a sentence, whether it stayed within its threshold with enough power,
    what could not be read, and the page. That is no verdict on a release, which rests on every attack."""

    answer: str
    within: bool
    withheld: int
    report: Path
    details: dict[str, Any]

    @property
    def exit_code(self) -> int:
        """0 only where the attack stayed within its threshold, could have succeeded, and attacked everything."""
        return 0 if self.within and not self.withheld else 1


def report_attack(
    finding: Finding, attacked: Input, out: Path, *, command: str, seed: int, settings: dict[str, Any]
) -> tuple[bool, Path]:
    """Write report.html and report.json into `out`; returns whether the attack stayed within its threshold, and the
    page."""
    comparison = Comparison(None, finding)
    content = ReportContent(
        subject=attacked.subject,
        removals=(),
        comparisons=(replace(comparison, judged=False),),
        gaps=(Gap("Everything else", "only this attack was run, and nothing was removed.", blocking=False),),
        provenance=how_to_repeat(command, seed, settings, input_sha256=attacked.sha256),
        about="an attack",
    )
    return comparison.verdict is Verdict.PASS, write_report(content, out)


def how_to_repeat(
    command: str, seed: int, settings: dict[str, Any], *, input_sha256: str, secret: Sequence[str] = ()
) -> Provenance:
    return Provenance(
        medveil=medveil.__version__,
        created=now(),
        command=command_given(command, secret),
        seed=seed,
        input_sha256=input_sha256,
        key_fingerprint="none: nothing was replaced",
        packages=package_versions(),
        settings=settings,
    )


def _digest(cohort: Cohort) -> str:
    """Of all images together, whatever their order: it says whether the input was the same, and of whom nothing."""
    return _combined(_file_digest(cohort.root, path) for path in cohort.table["path"].unique())


def _combined(digests: Iterable[str]) -> str:
    return sha256("".join(sorted(digests)).encode()).hexdigest()


def _file_digest(root: Path, path: str) -> str:
    try:
        real = inside(root, path)
        head_of(real)  # refuses pipes and devices, which would never end
        return _digest_of_file(real)
    except (OSError, Quarantined):
        return "unreadable"


def _digest_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
