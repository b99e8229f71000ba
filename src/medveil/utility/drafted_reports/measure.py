"""Do films still say what their reports say: BLEU of reports drafted from released films."""

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
class DraftedReportsSettings:
    """`steps` that the drafting network learns for, `folds` that patients are dealt into, and the `most_films` that
    are looked at."""

    steps: int = 400
    folds: int = 2
    most_films: int = 2000

    def __post_init__(self) -> None:
        if self.steps < 1 or self.folds < 2 or self.most_films < 2:
            raise SettingsError("drafted reports need at least one step, two folds and two films")

    @property
    def alone(self) -> bool:
        return True


@register_measure
class DraftedReports:
    """BLEU-4 of drafts from released films against the true reports."""

    name = "drafted-reports"
    Settings = DraftedReportsSettings
    default = False
    place = "anatomy"

    def __init__(
        self,
        settings: DraftedReportsSettings | None = None,
        device: str = "cpu",
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._settings = settings or DraftedReportsSettings()
        self._device = device
        self._progress = progress or (lambda done, total: None)

    def run(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding:
        from medveil.utility.drafted_reports.cohorts import compare_cohorts

        return compare_cohorts(
            self.name,
            released,
            originals,
            steps=self._settings.steps,
            parts=self._settings.folds,
            most=self._settings.most_films,
            device=self._device,
            seed=seed,
            progress=self._progress,
        )
