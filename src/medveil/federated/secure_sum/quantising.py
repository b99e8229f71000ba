"""Updates as whole numbers, and sums of them as updates again.

A number is kept within ±`most` and told in steps of `most` / 2^`bits`; rounding is up or down by chance, so that it is
right on average. A sum of up to 2²⁰ sites cannot wrap around.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.errors import InputError, SettingsError
from medveil.federated.secure_sum.masks import Words

SITES = 1 << 20


@dataclass(frozen=True)
class Grid:
    """`most`: what a number of an update may be, either way."""

    most: float
    bits: int = 30

    def __post_init__(self) -> None:
        if not (np.isfinite(self.most) and self.most > 0 and 1 <= self.bits <= 42):
            raise SettingsError("an update's numbers need a finite limit above zero, and 1 to 42 bits")

    @property
    def step(self) -> float:
        return self.most / (1 << self.bits)

    def whole(self, update: NDArray[np.floating], chance: np.random.Generator) -> Words:
        """Numbers modulo 2⁶⁴; beyond the limit they are cut off."""
        values = np.asarray(update, np.float64).ravel()
        if not np.isfinite(values).all():
            raise InputError("an update holds numbers that are not finite; training went astray, so nothing is sent")
        scaled = np.clip(values, -self.most, self.most) / self.step
        low = np.floor(scaled)
        rounded = low + (chance.random(len(scaled)) < scaled - low)
        return rounded.astype(np.int64).view(np.uint64)

    def numbers(self, total: Words) -> NDArray[np.float64]:
        """What a sum of whole numbers stands for."""
        return total.view(np.int64).astype(np.float64) * self.step
