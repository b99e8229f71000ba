"""What the attack on visit intervals is run with."""

from __future__ import annotations

from dataclasses import dataclass

from medveil.errors import SettingsError
from medveil.part_settings import changed


@dataclass(frozen=True)
class VisitIntervalSettings:
    """`within` so many days an interval still fits; at most so many patients are looked for, drawn by the seed."""

    within: int = 7
    targets: int = 2000

    def __post_init__(self) -> None:
        if self.within < 1:
            raise SettingsError("an interval that is off by no day fits anyway; within is 1 day or more")
        if self.targets < 2:
            raise SettingsError("at least two patients are looked for; targets is 2 or more")

    def weakened(self) -> tuple[str, ...]:
        """Fewer patients looked for only widen the interval."""
        return tuple(name for name in changed(self) if name != "targets")
