"""What differential privacy leaves to any attacker who guesses whether a patient was trained on (Kairouz et al., 2015).

They hold where a patient is the unit that the guarantee is about, whatever else the attacker knows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from medveil.errors import SettingsError


@dataclass(frozen=True)
class PrivacyLimit:
    """Of training that is (`epsilon`, `delta`)-private for adding or removing one patient."""

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.epsilon) and self.epsilon >= 0 and 0 <= self.delta < 1):
            raise SettingsError("epsilon is a finite number from 0 on, and delta lies between 0 and 1, such as 1e-5")

    @property
    def advantage(self) -> float:
        """The most that hits can be above false alarms."""
        if self.epsilon > 700:  # e^epsilon is no number any more
            return 1.0
        return (math.expm1(self.epsilon) + 2 * self.delta) / (math.exp(self.epsilon) + 1)

    def hits(self, false_alarms: float) -> float:
        """The largest share of members that can be told, at this share of others taken for members."""
        if self.epsilon > 700:
            return 1.0
        often = math.exp(self.epsilon) * false_alarms + self.delta
        rarely = 1 - math.exp(-self.epsilon) * (1 - self.delta - false_alarms)
        return max(0.0, min(1.0, often, rarely))

    @property
    def words(self) -> str:
        return f"ε = {self.epsilon:g}, δ = {self.delta:g}"
