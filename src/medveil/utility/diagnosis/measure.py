"""Is the diagnosis still in the films: a classifier learned from released films and tried on originals, and the
reverse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from medveil.errors import SettingsError
from medveil.parts import register_measure

if TYPE_CHECKING:
    from medveil.cohort import Cohort
    from medveil.finding import Finding
    from medveil.utility.diagnosis.cohorts import SeenOriginals


@dataclass(frozen=True)
class DiagnosisSettings:
    """`effort` small (fixed features, two cores) or full (a whole network, CUDA), `folds` that patients are dealt
    into, the `fewest_patients` with and without a finding, and the `most_films` that are looked at."""

    effort: Literal["small", "full"] = "small"
    folds: int = 4
    fewest_patients: int = 10
    most_films: int = 5000

    def __post_init__(self) -> None:
        if self.effort not in ("small", "full"):
            raise SettingsError("effort is small or full")
        if self.folds < 2 or self.fewest_patients < 2 or self.most_films < 1:
            raise SettingsError("a diagnosis needs at least two folds, two patients on either side and one film")

    @property
    def alone(self) -> bool:
        return self.effort == "full"


@register_measure
class Diagnosis:
    """Macro AUROC of a classifier that learned from released films, on originals of other patients."""

    name = "diagnosis"
    Settings = DiagnosisSettings
    default = False
    place = "anatomy"

    def __init__(
        self,
        settings: DiagnosisSettings | None = None,
        device: str = "cpu",
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._settings = settings or DiagnosisSettings()
        self._device = device
        self._progress = progress or (lambda done, total: None)
        self._seen: SeenOriginals | None = None

    def run(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding:
        from medveil.utility.diagnosis.cohorts import SeenOriginals, compare_cohorts

        self._seen = self._seen or SeenOriginals()
        return compare_cohorts(
            self.name,
            released,
            originals,
            effort=self._settings.effort,
            parts=self._settings.folds,
            fewest=self._settings.fewest_patients,
            most=self._settings.most_films,
            device=self._device,
            seed=seed,
            progress=self._progress,
            seen=self._seen,
        )
