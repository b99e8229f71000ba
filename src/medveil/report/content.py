"""What a release report says, before it is laid out: subject, removals, comparisons, gaps and the verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from medveil.finding import Finding, Verdict
from medveil.parts import Guarantee
from medveil.stats.estimate import Estimate

SCHEMA = "medveil.report/1"


@dataclass(frozen=True)
class Subject:
    """What was examined. Counts only: names and paths stay with the steward."""

    name: str
    patients: int
    studies: int
    images: int
    released: int
    quarantined: dict[str, int] = field(default_factory=dict)  # reason -> images or files

    @property
    def withheld(self) -> int:
        return sum(self.quarantined.values())


@dataclass(frozen=True)
class Removal:
    """One defense that ran, and what it did: counts by a fixed phrase."""

    defense: str
    title: str
    done: dict[str, int]
    guarantee: Guarantee


@dataclass(frozen=True)
class Comparison:
    """One attack or measure before and after the defenses, on the same images."""

    before: Finding
    after: Finding
    change: Estimate | None = None

    @property
    def verdict(self) -> Verdict | None:
        return self.after.verdict


@dataclass(frozen=True)
class Gap:
    """Something that was not measured or not covered. A blocking gap keeps the verdict from PASS."""

    what: str
    why: str
    blocking: bool


@dataclass(frozen=True)
class Provenance:
    """What is needed to repeat the run."""

    medveil: str
    created: str  # ISO date and time, UTC
    command: str
    seed: int
    input_sha256: str
    key_fingerprint: str
    packages: dict[str, str]
    settings: dict[str, Any]


@dataclass(frozen=True)
class ReportContent:
    subject: Subject
    removals: tuple[Removal, ...]
    comparisons: tuple[Comparison, ...]
    gaps: tuple[Gap, ...]
    provenance: Provenance

    @property
    def verdict(self) -> Verdict:
        """The worst of the parts; without any judged part, or with a blocking gap, no better than REVIEW."""
        judged = [comparison.verdict for comparison in self.comparisons if comparison.verdict]
        worst = Verdict.worst(judged)
        return Verdict.worst([worst, Verdict.REVIEW]) if any(gap.blocking for gap in self.gaps) else worst

    @property
    def reasons(self) -> list[str]:
        """One sentence for each thing that keeps the verdict from PASS."""
        reasons = [
            f"{c.after.question} {c.after.answer}"
            for c in self.comparisons
            if c.verdict not in (None, Verdict.PASS)
        ]
        return reasons + [f"{gap.what}: {gap.why}" for gap in self.gaps if gap.blocking]

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "verdict": self.verdict,
            "reasons": self.reasons,
            "subject": {**vars(self.subject), "withheld": self.subject.withheld},
            "removals": [
                {**vars(removal), "guarantee": vars(removal.guarantee)} for removal in self.removals
            ],
            "comparisons": [
                {
                    "part": comparison.after.part,
                    "kind": comparison.after.kind,
                    "verdict": comparison.verdict,
                    "before": comparison.before.to_json(),
                    "after": comparison.after.to_json(),
                    "change": comparison.change.to_json() if comparison.change else None,
                }
                for comparison in self.comparisons
            ],
            "gaps": [vars(gap) for gap in self.gaps],
            "provenance": vars(self.provenance),
        }
