"""Updates as whole numbers, and sums of them as updates again.

A number is kept within ±`most` and told in steps of `most` / 2^`bits`, as fine as a sum of all sites leaves room for in
32 bits: it cannot wrap around. Rounding is up or down by chance, so that it is right on average.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.errors import InputError, SettingsError
from medveil.federated.secure_sum.masks import Words

SITES = 1000  # of one sum; with more, steps would grow coarse


@dataclass(frozen=True)
class Grid:
    """`most`: what a number of an update may be, either way. `sites`: how many updates are added up, at most."""

    most: float
    sites: int

    def __post_init__(self) -> None:
        if not (np.isfinite(self.most) and self.most > 0 and 1 <= self.sites <= SITES):
            raise SettingsError(f"an update's numbers need a finite limit above zero, and 1 to {SITES:,} sites a sum")

    @property
    def bits(self) -> int:
        return 31 - self.sites.bit_length()

    @property
    def step(self) -> float:
        return self.most / (1 << self.bits)

    def whole(self, update: NDArray[np.floating], chance: np.random.Generator) -> Words:
        """Numbers modulo 2³²; beyond the limit they are cut off."""
        values = np.asarray(update, np.float64).ravel()
        if not np.isfinite(values).all():
            raise InputError("an update holds numbers that are not finite; training went astray, so nothing is sent")
        scaled = np.clip(values, -self.most, self.most)
        scaled /= self.step
        scaled += chance.random(len(scaled))
        return np.floor(scaled, out=scaled).astype(np.int32).view(np.uint32)

    def numbers(self, total: Words) -> NDArray[np.float64]:
        """What a sum of whole numbers stands for."""
        return total.view(np.int32).astype(np.float64) * self.step
