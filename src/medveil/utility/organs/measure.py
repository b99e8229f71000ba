"""Do lungs and heart still lie where they lay: the organs found on released films against those on the originals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from medveil.errors import SettingsError
from medveil.parts import register_measure

if TYPE_CHECKING:
    from medveil.cohort import Cohort
    from medveil.finding import Finding


@dataclass(frozen=True)
class OrgansSettings:
    """The `most_films` that are looked at: whole patients, drawn by chance."""

    most_films: int = 5000

    def __post_init__(self) -> None:
        if self.most_films < 2:
            raise SettingsError("organs are compared on at least two films")


@register_measure
class Organs:
    """Dice of lungs and heart, released against original."""

    name = "organs"
    Settings = OrgansSettings
    default = False
    place = "anatomy"

    def __init__(
        self,
        settings: OrgansSettings | None = None,
        device: str = "cpu",
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._settings = settings or OrgansSettings()
        self._device = device
        self._progress = progress or (lambda done, total: None)

    def run(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding:
        from medveil.utility.organs.cohorts import compare_cohorts

        return compare_cohorts(
            self.name,
            released,
            originals,
            most=self._settings.most_films,
            device=self._device,
            seed=seed,
            progress=self._progress,
        )
