"""What a release report says, before it is laid out: subject, removals, comparisons, gaps and the verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Literal

from medveil.finding import Finding, Verdict
from medveil.parts import Guarantee
from medveil.report.advice import Advice
from medveil.report.residual_risk import residual_risk
from medveil.report.sheet import Sheet
from medveil.stats.estimate import Estimate

SCHEMA = "medveil.report/1"


@dataclass(frozen=True)
class ReportSubject:
    """What was examined. Counts only: names and paths stay with the steward."""

    name: str
    patients: int
    studies: int
    images: int
    released: int
    quarantined: dict[str, int] = field(default_factory=dict)  # reason -> images or files
    kind: Literal["data", "model"] = "data"  # a model is examined on the images counted here

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
    limits: tuple[str, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """One attack or measure before and after the defenses, on the same images; without defenses, after alone.

    What is not `judged` is held against its threshold in words, and gets no verdict.
    """

    before: Finding | None
    after: Finding
    change: Estimate | None = None
    judged: bool = True

    def __post_init__(self) -> None:
        for aspect in ("part", "kind", "headline", "scale"):
            if self.before and getattr(self.before, aspect) != getattr(self.after, aspect):
                raise ValueError(f"before and after differ in their {aspect}: they cannot be compared")

    @property
    def sound(self) -> bool:
        """Whether the result after the defenses is a number with an interval that can be judged at all."""
        estimate, threshold = self.after.estimate, self.after.threshold
        numbers = [estimate.value, estimate.low, estimate.high]
        if threshold:
            numbers.append(threshold.value)
        return (
            all(math.isfinite(number) for number in numbers)
            and estimate.low <= estimate.value <= estimate.high
            and estimate.n > 0
            and estimate.units > 1  # one unit resampled is always itself: its interval says nothing
        )

    @property
    def verdict(self) -> Verdict | None:
        """What the threshold says after the defenses; without a sound interval, no better than REVIEW."""
        verdict = self.after.verdict if self.judged else None
        if verdict is None or self.sound:
            return verdict
        return Verdict.worst([verdict, Verdict.REVIEW])

    @property
    def reason(self) -> str | None:
        """Why this comparison keeps the verdict from PASS, if it does."""
        if self.verdict in (None, Verdict.PASS):
            return None
        answer = self.after.answer if self.sound else "This could not be measured, so it cannot pass."
        return " ".join([self.after.question, answer, *self.after.doubts])

    def to_json(self) -> dict[str, Any]:
        return {
            "part": self.after.part,
            "kind": self.after.kind,
            "verdict": self.verdict,
            "before": self.before.to_json() if self.before else None,
            "after": {**self.after.to_json(), "verdict": self.verdict},
            "change": self.change.to_json() if self.change else None,
        }


@dataclass(frozen=True)
class Gap:
    """Something that was not measured or not covered. A blocking gap keeps the verdict from PASS."""

    what: str
    why: str
    blocking: bool

    @property
    def sentence(self) -> str:
        name = self.what.replace("-", " ")
        return f"{name[:1].upper()}{name[1:]}: {self.why}"


@dataclass(frozen=True)
class Remedy:
    """What would change a reason against PASS, at what cost. `about` names the reason in a few words. The command has
    IN for the originals, OUT for this output and NEW for a new folder, since paths may tell of people; it is empty
    where no command of medveil's would change it."""

    about: str
    reason: str
    change: str
    cost: str = ""
    command: str = ""


@dataclass(frozen=True)
class OutputCheck:
    """A look at the output that does not believe the defenses: what was looked at, and what should not be there."""

    looked_at: dict[str, int]
    found: dict[str, int] = field(default_factory=dict)
    images: tuple[str, ...] = ()  # where, by the pseudonyms they are released under
    by: tuple[str, ...] = ()  # sentences on who looked, and what those share with the defenses

    def to_json(self) -> dict[str, Any]:
        found = {"looked_at": _sorted(self.looked_at), "found": _sorted(self.found), "images": sorted(self.images)}
        return {**found, "by": list(self.by)}


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
    subject: ReportSubject
    removals: tuple[Removal, ...]
    comparisons: tuple[Comparison, ...]
    gaps: tuple[Gap, ...]
    provenance: Provenance
    check: OutputCheck | None = None
    sheet: Sheet | None = None  # of a release, which somebody signs
    remedies: tuple[Remedy, ...] = ()
    advice: Advice | None = None
    about: Literal["a release", "an attack", "a measure"] = "a release"  # one of them alone says nothing of a release

    @property
    def verdict(self) -> Verdict:
        """The worst of the parts; without a judged attack, or with a blocking gap, no better than REVIEW."""
        judged = [comparison.verdict for comparison in self.comparisons if comparison.verdict]
        if not self._attack_judged or any(gap.blocking for gap in self.gaps):
            judged.append(Verdict.REVIEW)
        if self.check and self.check.found:
            judged.append(Verdict.FAIL)
        return Verdict.worst(judged)

    @property
    def reasons(self) -> list[str]:
        """One sentence for each thing that keeps the verdict from PASS."""
        reasons = [comparison.reason for comparison in self.comparisons if comparison.reason]
        if not self._attack_judged:
            reasons.append("No attack was judged against a threshold, so a PASS would rest on nothing.")
        if self.check and self.check.found:
            found = "; ".join(f"{what} ({number:,})" for what, number in _sorted(self.check.found).items())
            reasons.append(f"The check of the output found what may identify people: {found}.")
        return reasons + [gap.sentence for gap in self.gaps if gap.blocking]

    @property
    def _attack_judged(self) -> bool:
        return any(c.after.kind == "attack" and c.verdict for c in self.comparisons)

    @property
    def residual_risk(self) -> str:
        """In one sentence."""
        attacks = [each for each in self.comparisons if each.after.kind == "attack"]
        measured = [each.after for each in attacks if each.sound]
        return residual_risk(measured, len(attacks) - len(measured))

    def _sheet(self) -> dict[str, Any] | None:
        missing = sorted(self.gaps, key=lambda gap: not gap.blocking)
        return self.sheet.to_json(self.residual_risk, [gap.sentence for gap in missing]) if self.sheet else None

    def to_json(self) -> dict[str, Any]:
        """The published document, of plain values only; a number that could not be computed is null."""
        subject, provenance = self.subject, self.provenance
        document = {
            "schema": SCHEMA,
            "about": self.about,
            "verdict": self.verdict if self.about == "a release" else None,
            "reasons": self.reasons if self.about == "a release" else [],
            "remedies": [vars(remedy) for remedy in self.remedies],
            "advice": self.advice.to_json() if self.advice else None,
            "sheet": self._sheet(),
            "subject": {
                **vars(subject),
                "quarantined": _sorted(subject.quarantined),
                "withheld": subject.withheld,
            },
            "removals": [
                {**vars(removal), "done": _sorted(removal.done), "guarantee": vars(removal.guarantee)}
                for removal in self.removals
            ],
            "comparisons": [comparison.to_json() for comparison in self.comparisons],
            "check": self.check.to_json() if self.check else None,
            "gaps": [vars(gap) for gap in self.gaps],
            "provenance": {
                **vars(provenance),
                "packages": _sorted(provenance.packages),
                "settings": _sorted(provenance.settings),
            },
        }
        told: dict[str, Any] = plain(document)
        return told


def _sorted(mapping: Mapping[str, Any]) -> dict[str, Any]:
    """By name: counts gathered by several workers arrive in any order, the report must not."""
    return {name: mapping[name] for name in sorted(mapping)}


def plain(value: Any) -> Any:
    """JSON's own types; a float that is no number becomes null, anything else unknown is refused."""
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str | PurePath):
        return str(value)
    if hasattr(value, "item"):  # a NumPy scalar
        return plain(value.item())
    raise TypeError(f"a report cannot hold a {type(value).__name__}")
