"""What the inversion attack can be set to."""

from __future__ import annotations

from dataclasses import dataclass

from medveil.errors import SettingsError


@dataclass(frozen=True)
class InversionSettings:
    """How hard the attacker tries, and at what.

    `updates`: how many are attacked. `films`: of one site in each. `sites`: over how many a secure sum goes.
    `steps`, `starts`: of each search for films.
    """

    updates: int = 8
    films: int = 1
    sites: int = 3
    steps: int = 400
    starts: int = 1

    def __post_init__(self) -> None:
        if self.updates < 2 or min(self.films, self.steps, self.starts) < 1 or self.sites < 3:
            raise SettingsError(
                "the attack needs at least two updates, one film, step and start, and three sites for a secure sum"
            )
