"""What was tried on a sample to change a verdict: the risk and the utility of each setting, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class TriedAttack:
    """One attack in a trial; the estimate is of its headline, as `Estimate.to_json` tells it."""

    part: str
    place: str  # table or films
    verdict: str | None
    estimate: dict[str, Any]

    @property
    def upper_end(self) -> float:
        """What was not measured counts as certain."""
        high = self.estimate["interval"][1]
        return 1.0 if high is None else float(high)


@dataclass(frozen=True)
class Trial:
    """One setting, tried. `utility` and `before` are the AUROC of a classifier that learned from such films and from
    the originals, null where that could not be measured. Where a setting could not be tried, `failed` says why."""

    name: str
    title: str
    command: str
    attacks: tuple[TriedAttack, ...] = ()
    utility: dict[str, Any] | None = None
    before: dict[str, Any] | None = None
    setting: str = ""  # what the dial was set to, in words
    released: int = 0
    failed: str | None = None

    def strongest(self, place: str) -> TriedAttack | None:
        """By the upper end of its interval."""
        return max((each for each in self.attacks if each.place == place), key=lambda a: a.upper_end, default=None)

    def keeps(self, place: str, accepted: float) -> bool:
        """Whether all that was tried on this place stays within what is accepted, by its whole interval."""
        strongest = self.strongest(place)
        return strongest is not None and strongest.upper_end <= accepted

    def exceeds(self, place: str, accepted: float) -> bool:
        """Whether anything that was tried on this place does not."""
        return self.strongest(place) is not None and not self.keeps(place, accepted)

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "attacks": [vars(each) for each in self.attacks]}

    @classmethod
    def of_json(cls, told: dict[str, Any]) -> Trial:
        return cls(**{**told, "attacks": tuple(TriedAttack(**each) for each in told["attacks"])})


@dataclass(frozen=True)
class Advice:
    """All trials on one sample; `best` is the mildest command that keeps the accepted risk there, if any does, and
    `nearest` otherwise the one that came nearest to it."""

    patients: int
    of_patients: int
    images: int
    accepted: float
    trials: tuple[Trial, ...]
    best: str | None = None
    nearest: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "trials": [each.to_json() for each in self.trials]}
