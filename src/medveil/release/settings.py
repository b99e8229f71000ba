"""What a release is run with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from medveil.errors import SettingsError
from medveil.parts import Kind, registered

Progress = Callable[[str, int, int], None]  # stage, done, total


@dataclass(frozen=True)
class Settings:
    """What a release is run with. An empty list of parts means all that are registered."""

    seed: int = 7
    threshold: float | None = None
    layout: str | None = None
    writer: Literal["table", "dicom"] = "table"  # images and a table come out, or DICOM files and texts
    defenses: tuple[str, ...] = ()
    attacks: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()

    def resolved(self) -> Settings:
        """With every part named; unknown names are refused."""
        if self.threshold is not None and not 0 < self.threshold < 1:
            raise SettingsError("the threshold is a probability: give a number between 0 and 1, such as 0.09")
        if self.writer not in ("table", "dicom"):
            raise SettingsError("a release comes out as table or as dicom")
        return replace(
            self,
            defenses=_known("defenses", self.defenses),
            attacks=_known("attacks", self.attacks),
            measures=_known("measures", self.measures),
        )


def _known(kind: Kind, names: tuple[str, ...]) -> tuple[str, ...]:
    known = registered(kind)
    for name in names:
        if name not in known:
            raise SettingsError(f"there is no {kind.removesuffix('s')} called {name}; choose from {', '.join(known)}")
    return names or tuple(name for name, part in known.items() if getattr(part, "default", True))
