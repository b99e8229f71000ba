"""`Finding`: what one attack or measure found, in the words and numbers the report prints.

A part returns one; its `Threshold` judges the headline's `Estimate` and gives the `Verdict`.
"""

from __future__ import annotations

import base64
import math
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal

from medveil.stats.estimate import Estimate

Scale = Literal["share", "score"]


class Verdict(StrEnum):
    """What a threshold says of an estimate. The worst of several counts."""

    PASS = "PASS"  # noqa: S105 - a verdict, not a password
    REVIEW = "REVIEW"
    FAIL = "FAIL"

    @staticmethod
    def worst(verdicts: list[Verdict]) -> Verdict:
        order = list(Verdict)
        return max(verdicts, key=order.index, default=Verdict.REVIEW)


@dataclass(frozen=True)
class Threshold:
    """The most an estimate may be, and who says so.

    What was `counted`, and not sampled, is judged as it is; above its threshold a person must look, and nothing is
    proved against a release.
    """

    name: str
    value: float
    source: str
    counted: bool = False

    @classmethod
    def chosen(cls, value: float) -> Threshold:
        return cls(f"{value:g} (chosen)", value, "set by the user")

    def judge(self, estimate: Estimate) -> Verdict:
        """PASS needs the whole interval at or below the threshold; FAIL has all of it above."""
        if not all(map(math.isfinite, (estimate.low, estimate.value, estimate.high, self.value))):
            return Verdict.REVIEW  # what could not be measured cannot pass
        if self.counted:
            return Verdict.PASS if estimate.value <= self.value else Verdict.REVIEW
        if estimate.high <= self.value:
            return Verdict.PASS
        return Verdict.FAIL if estimate.low > self.value else Verdict.REVIEW


SMALLEST_GROUP = 11  # patients; fewer would say little, and tell too much about each
AGE_BANDS = (
    (0, 18, "under 18"),
    (18, 40, "18 to 39"),
    (40, 60, "40 to 59"),
    (60, 75, "60 to 74"),
    (75, 200, "75 and over"),
)
ONE_IN_ELEVEN = Threshold(
    name="0.09 (one in eleven)",
    value=0.09,
    source="in use for public releases of clinical data at the European Medicines Agency (Policy 0070) "
    "and Health Canada (Public Release of Clinical Information)",
)


@dataclass(frozen=True)
class Series:
    """One named line, row of bars or row of intervals in a figure."""

    name: str
    x: tuple[float | str, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] | None = None
    high: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Figure:
    """A figure as data; the report draws it and prints the same numbers as a table."""

    title: str
    kind: Literal["line", "bar", "interval", "heatmap"]  # a heatmap is of changes: a row a category, a column a series
    x_title: str
    y_title: str
    series: tuple[Series, ...]
    note: str = ""
    x_log: bool = False  # equal factors at equal distances; for lines and intervals over numbers
    y_log: bool = False


@dataclass(frozen=True)
class Table:
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | int | None, ...], ...]


@dataclass(frozen=True)
class Picture:
    """A small picture that is no plot, such as an attention map. It shows a patient only where that was asked for."""

    title: str
    png: bytes = field(repr=False)
    alt: str
    note: str = ""

    def __post_init__(self) -> None:
        if not self.png.startswith(b"\x89PNG\r\n\x1a\n"):
            raise ValueError("a picture is a PNG file")
        if not self.alt:
            raise ValueError("a picture says in words what it shows")

    def to_json(self) -> dict[str, str]:
        source = "data:image/png;base64," + base64.b64encode(self.png).decode()
        return {"title": self.title, "source": source, "alt": self.alt, "note": self.note}


@dataclass(frozen=True)
class Power:
    """Whether an attack that did not succeed could have.

    `shown_on` says in a sentence on what data it was seen to work, and how well; `control` what it was held against on
    the data at hand, and which of the two did better. Where that is not `enough`, its failure reassures nobody.
    """

    shown_on: str
    control: str
    enough: bool

    @property
    def sentence(self) -> str:
        told = f"{self.shown_on} {self.control}".strip()
        return told if self.enough else f"{told} {NO_POWER}"


NO_POWER = "That it found little says nothing of the risk: a person must judge it."


@dataclass(frozen=True)
class Finding:
    """What one part found on one cohort.

    `question` and `answer` are plain sentences for a privacy officer, `headline` names the estimate that
    answers the question and that the threshold judges. `concerns` are sentences on what a person must look at, whatever
    the threshold says. An attack states its `power`: one without enough of it cannot pass.
    """

    part: str
    kind: Literal["attack", "measure"]
    question: str
    answer: str
    headline: str
    estimates: dict[str, Estimate]
    method: str
    scale: Scale = "share"
    threshold: Threshold | None = None
    limits: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()
    glossary: dict[str, str] = field(default_factory=dict)
    concerns: tuple[str, ...] = ()
    power: Power | None = None

    @property
    def estimate(self) -> Estimate:
        return self.estimates[self.headline]

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why it cannot pass, whatever the threshold says."""
        weak = () if self.power is None or self.power.enough else (self.power.sentence,)
        return (*self.concerns, *weak)

    @property
    def verdict(self) -> Verdict | None:
        if self.threshold is None:
            return None
        return Verdict.worst([self.threshold.judge(self.estimate), *[Verdict.REVIEW] * bool(self.doubts)])

    def with_unseen(self, seen: int, there: int, what: str) -> Finding:
        """Those among `there` who were not looked at may all be found, or none: the ends leave room for either."""
        if seen >= there:
            return self
        part, found = seen / there, self.estimate
        wider = replace(found, low=found.low * part, high=1 - (1 - found.high) * part)
        told = f"Of {there:,} {what}, {there - seen:,} could not be looked at; the upper end counts them as found."
        return replace(self, estimates={**self.estimates, self.headline: wider}, limits=(*self.limits, told))

    def to_json(self) -> dict[str, Any]:
        return {
            "part": self.part,
            "kind": self.kind,
            "question": self.question,
            "answer": self.answer,
            "headline": self.headline,
            "scale": self.scale,
            "estimates": {name: estimate.to_json() for name, estimate in self.estimates.items()},
            "threshold": vars(self.threshold) if self.threshold else None,
            "verdict": self.verdict,
            "method": self.method,
            "limits": list(self.limits),
            "figures": [_plain(figure) for figure in self.figures],
            "tables": [_plain(table) for table in self.tables],
            "pictures": [picture.to_json() for picture in self.pictures],
            "glossary": self.glossary,
            "concerns": list(self.concerns),
            "power": vars(self.power) if self.power else None,
        }


def percent(share: float | None) -> str:
    """As the report prints shares: 12.3 %, with more digits where it is small."""
    if share is None:
        return "an unknown share"
    return f"{share * 100:.1f} %" if share >= 0.01 else f"{share * 100:.2g} %"


def _plain(thing: Any) -> Any:
    """Dataclasses and tuples as dicts and lists."""
    if hasattr(thing, "__dataclass_fields__"):
        return {name: _plain(getattr(thing, name)) for name in thing.__dataclass_fields__}
    if isinstance(thing, tuple):
        return [_plain(item) for item in thing]
    return thing
