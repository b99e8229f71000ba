"""What cleaning did to the films: how much was changed, inside the lungs and outside, and what that changes."""

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
class PixelDamageSettings:
    """At most this share of the films may be changed inside the lungs (`most_films`), and of no film more than this
    share of its lungs (`most_area`); else a person must look. `pictures` of the worst films are shown."""

    most_films: float = 0.005
    most_area: float = 0.01
    pictures: int = 6

    def __post_init__(self) -> None:
        if not (0 <= self.most_films <= 1 and 0 <= self.most_area <= 1):
            raise SettingsError("most_films and most_area are shares: give numbers between 0 and 1, such as 0.005")
        if self.pictures < 0:
            raise SettingsError("the number of pictures cannot be negative")


@register_measure
class PixelDamage:
    """Share of films changed inside the lungs."""

    name = "pixel-damage"
    Settings = PixelDamageSettings
    default = True
    place = "pixels"

    def __init__(
        self, settings: PixelDamageSettings | None = None, progress: Callable[[int, int], None] | None = None
    ) -> None:
        self._settings = settings or PixelDamageSettings()
        self._progress = progress or (lambda done, total: None)

    def run(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding:
        from medveil.utility.pixel_damage.comparison import compare_cohorts

        return compare_cohorts(
            self.name,
            released,
            originals,
            seed=seed,
            most_films=self._settings.most_films,
            most_area=self._settings.most_area,
            most_pictures=self._settings.pictures,
            progress=self._progress,
        )
