"""Readings of one view by either reader, each taken once: what weighs a line and what looks for markers share them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.decide.words import Look
from medveil.defenses.pixels.read.reader import Reading, read_many
from medveil.defenses.pixels.read.second_reader import HEIGHT as SECOND_HEIGHT
from medveil.defenses.pixels.read.second_reader import second_opinion


class CachedReader:
    def __init__(self, view: NDArray[np.uint8]) -> None:
        self.view = view
        self._readings: dict[Look, Reading] = {}
        self._opinions: dict[Look, tuple[str, float]] = {}

    def __call__(self, looks: list[Look]) -> list[Reading]:
        new = list(dict.fromkeys(look for look in looks if look not in self._readings))
        self._readings.update(zip(new, read_many([look.strip(self.view) for look in new]), strict=True))
        return [self._readings[look] for look in looks]

    def second(self, look: Look) -> tuple[str, float]:
        """What the second reader makes of it."""
        if look not in self._opinions:
            self._opinions[look] = second_opinion(look.strip(self.view, SECOND_HEIGHT))
        return self._opinions[look]

    def seconded(self, look: Look) -> tuple[str, float] | None:
        """The same, if it was asked already."""
        return self._opinions.get(look)
