"""A linear probe for the 14 labels on simple image features: what can still be learned from the pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from medveil.errors import SettingsError
from medveil.parts import register_measure

if TYPE_CHECKING:
    from medveil.cohort import Cohort
    from medveil.finding import Finding


@dataclass(frozen=True)
class LabelProbeSettings:
    """`folds` that patients are dealt into, `components` that image features are reduced to, and the
    `fewest_patients` with and without a label: fewer say nothing about it."""

    folds: int = 5
    components: int = 48
    fewest_patients: int = 10

    def __post_init__(self) -> None:
        if self.folds < 2 or self.components < 1 or self.fewest_patients < 2:
            raise SettingsError("a label probe needs at least two folds, one component and two patients on either side")


@register_measure
class LabelProbe:
    """Macro AUROC of a cross-fitted logistic regression."""

    name = "label-probe"
    Settings = LabelProbeSettings
    default = True
    place = "anatomy"

    def __init__(self, settings: LabelProbeSettings | None = None) -> None:
        self._settings = settings or LabelProbeSettings()

    def run(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding:
        from medveil.utility.label_probe.probe import probe_labels

        chosen = self._settings
        return probe_labels(
            self.name,
            released,
            folds=chosen.folds,
            components=chosen.components,
            fewest=chosen.fewest_patients,
            seed=seed,
        )
