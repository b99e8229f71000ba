"""`Evidence`: everything the attacker has about one model, and the guesses that follow from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.membership.scores import References, lira, rmia
from medveil.attacks.membership.signals import Signals

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

SIMILARITY, CONFIDENCE, LIRA, RMIA = "similarity", "confidence", "LiRA", "RMIA"


@dataclass(frozen=True)
class Evidence:
    """What the model says of the patients guessed about, and (`population`) how likely it finds those of the crowd."""

    member: Flags
    signals: Signals
    population: Floats
    references: References | None = None

    def guesses(self) -> dict[str, Floats]:
        """By attack: one score a patient, high for those believed to be members."""
        told = self.signals
        found = {CONFIDENCE: np.asarray(told.odds.sum(0))}
        if told.similarity is not None:
            found[SIMILARITY] = told.similarity
        if self.references is not None and len(self.references):
            found[LIRA] = lira(told.odds, self.references)
            found[RMIA] = rmia(told.likelihood, self.population, self.references)
        return found
