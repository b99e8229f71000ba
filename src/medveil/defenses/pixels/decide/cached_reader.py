"""Readings of one view, each taken once: what weighs a line and what looks for markers share them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.decide.words import Look
from medveil.defenses.pixels.read.reader import Reading, read_many


class CachedReader:
    def __init__(self, view: NDArray[np.uint8]) -> None:
        self.view = view
        self._readings: dict[Look, Reading] = {}

    def __call__(self, looks: list[Look]) -> list[Reading]:
        new = list(dict.fromkeys(look for look in looks if look not in self._readings))
        self._readings.update(zip(new, read_many([look.strip(self.view) for look in new]), strict=True))
        return [self._readings[look] for look in looks]
