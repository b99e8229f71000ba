"""An attack's power is what it was seen to do on untouched data; a defense that defeats it takes none of that away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from medveil.cohort import Cohort
    from medveil.finding import Finding, Power


class ShownPower:
    """Runs an attack, and keeps what it showed on the originals, so that they are attacked once only."""

    def __init__(self) -> None:
        self._known: tuple[Cohort, int, Power | None] | None = None

    def of(self, attack: Callable[[Cohort], Finding], released: Cohort, originals: Cohort, *, seed: int) -> Finding:
        """What `attack` finds on the released data, with the power it has on the originals."""
        if released is originals:
            finding = attack(originals)
            self._known = originals, seed, finding.power
            return finding
        if self._known is None or self._known[0] is not originals or self._known[1] != seed:
            self._known = originals, seed, attack(originals).power
        return replace(attack(released), power=self._known[2])
