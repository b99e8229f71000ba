"""What a release is run with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from medveil.cohort.input import InputOptions
from medveil.errors import SettingsError
from medveil.finding import Threshold
from medveil.parts import Choice, Kind, choose
from medveil.release.protection import Protect, attacks_on, changes_films, check_protect, measures_of
from medveil.release.recipients import recipient_called
from medveil.training.device import check_device

Progress = Callable[[str, int, int], None]  # stage, done, total
CHOSEN: tuple[Kind, ...] = ("defenses", "attacks", "measures")


@dataclass(frozen=True)
class Settings:
    """What a release is run with. Parts are named as on the command line (`pixels:fill=black`); none named, those that
    run unasked. `device` (cpu or cuda) is for the parts that can use one. The threshold follows from the `recipient`
    unless one is set. What `protect` names is set so that the `risk` is kept, or else the threshold. A `demonstration`
    is of invented patients: it may accept more, and says so."""

    seed: int = 7
    threshold: float | None = None
    recipient: str | None = None  # public, researcher or secure-room
    layout: str | None = None
    input: InputOptions = field(default_factory=InputOptions)
    device: str = "cpu"
    writer: Literal["table", "dicom"] = "table"  # images and a table come out, or DICOM files and texts
    defenses: tuple[str, ...] = ()
    attacks: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    protect: Protect = "none"
    risk: float | None = None
    demonstration: bool = False

    def resolved(self) -> Settings:
        """With every part named; unknown parts and settings are refused."""
        if self.threshold is not None and not 0 < self.threshold < 1:
            raise SettingsError("the threshold is a probability: give a number between 0 and 1, such as 0.09")
        recipient_called(self.recipient)
        if self.writer not in ("table", "dicom"):
            raise SettingsError("a release comes out as table or as dicom")
        if self.device != "cpu":
            check_device(self.device)
        check_protect(self.protect, self.risk)
        if self.writer == "dicom" and self.protect in ("table", "all"):
            raise SettingsError("DICOM files have no table to protect; leave --as out, or protect the anatomy alone")
        return self.naming({kind: self.chosen(kind) for kind in CHOSEN})

    @property
    def accepted(self) -> Threshold:
        """The risk that is accepted: the one that was set, or else what goes with the recipient."""
        if self.threshold is None:
            return recipient_called(self.recipient).threshold
        return Threshold(f"{self.threshold:g} (chosen for this release)", self.threshold, "set by the user")

    def chosen(self, kind: Kind) -> tuple[Choice, ...]:
        chosen = choose(kind, getattr(self, kind))
        if kind == "defenses":
            return chosen
        changed = changes_films(self.protect, self.chosen("defenses"))
        return attacks_on(changed, chosen) if kind == "attacks" else measures_of(changed, chosen)

    def naming(self, chosen: Mapping[Kind, Sequence[Choice]]) -> Settings:
        """With these parts in place of those that were asked for."""
        parts: dict[str, Any] = {kind: tuple(each.text for each in choices) for kind, choices in chosen.items()}
        return replace(self, **parts)

    def to_json(self) -> dict[str, Any]:
        """In JSON's own types, with everything the parts are set to."""
        parts: dict[str, Any] = {
            kind: {choice.name: choice.to_json() for choice in self.chosen(kind)} for kind in CHOSEN
        }
        told = {"input": self.input.told(), "recipient": recipient_called(self.recipient).kind}
        return {**asdict(self), **told, **parts}
