"""Re-identification by raw pixel similarity: the least an attacker will try."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from medveil.errors import SettingsError
from medveil.parts import register_attack

if TYPE_CHECKING:
    from medveil.cohort import Cohort
    from medveil.finding import Finding


@dataclass(frozen=True)
class PixelSettings:
    """`most_pairs`: of each kind, for the pair AUC; more narrow no interval that patients have not already set."""

    most_pairs: int = 20_000

    def __post_init__(self) -> None:
        if self.most_pairs < 1:
            raise SettingsError("the pair AUC needs at least one pair of each kind")

    def weakened(self) -> tuple[str, ...]:
        """The pair AUC is not what is judged."""
        return ()


@register_attack
class PixelSimilarity:
    """Finds a patient's other visits by nearest thumbnail."""

    name = "pixel-similarity"
    Settings = PixelSettings
    default = True
    place = "anatomy"
    baseline = True

    def __init__(self, settings: PixelSettings | None = None) -> None:
        self._settings = settings or PixelSettings()

    def run(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding:
        from medveil.attacks.pixel_similarity.nearest_image import find_other_visits

        return find_other_visits(self.name, released, seed=seed, most_pairs=self._settings.most_pairs)
