"""Singling out by what the table says: how many patients share a person's age, sex and site."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from medveil.errors import SettingsError
from medveil.parts import register_attack

if TYPE_CHECKING:
    from medveil.cohort import Cohort
    from medveil.finding import Finding


@dataclass(frozen=True)
class SinglingOutSettings:
    """`facts`: what the attacker knows of the person."""

    facts: tuple[Literal["age", "sex", "site"], ...] = ("age", "sex", "site")

    def __post_init__(self) -> None:
        if not self.facts or len(set(self.facts)) < len(self.facts):
            raise SettingsError("the attacker knows at least one of age, sex and site, each named once")


@register_attack
class SinglingOut:
    """Picks out a patient whose age, sex and site are known."""

    name = "singling-out"
    Settings = SinglingOutSettings
    default = True
    place = "table"
    baseline = True

    def __init__(self, settings: SinglingOutSettings | None = None) -> None:
        self._settings = settings or SinglingOutSettings()

    def run(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding:
        from medveil.attacks.singling_out.equivalence_classes import single_out

        return single_out(self.name, released, self._settings.facts, seed=seed)
