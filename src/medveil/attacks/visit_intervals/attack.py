"""Picking out a patient by the times between visits, whose true dates the attacker knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medveil.attacks.visit_intervals.settings import VisitIntervalSettings
from medveil.parts import register_attack

if TYPE_CHECKING:
    from medveil.cohort import Cohort
    from medveil.finding import Finding


@register_attack
class VisitIntervals:
    """Picks out a patient of whom the dates of all visits are known."""

    name = "visit-intervals"
    Settings = VisitIntervalSettings
    default = True
    place = "table"
    baseline = True

    def __init__(self, settings: VisitIntervalSettings | None = None) -> None:
        self._settings = settings or VisitIntervalSettings()

    @staticmethod
    def nothing_to_attack(originals: Cohort, defended: frozenset[str]) -> str | None:
        from medveil.attacks.visit_intervals.fingerprints import NO_INTERVALS, several_visits

        return None if several_visits(originals) else NO_INTERVALS

    def run(self, released: Cohort, originals: Cohort, *, seed: int) -> Finding:
        from medveil.attacks.visit_intervals.fingerprints import look_for

        return look_for(self.name, released, originals, self._settings, seed=seed)
