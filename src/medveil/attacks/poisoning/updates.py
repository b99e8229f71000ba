"""Updates as a poisoned site sends them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Arrays = list[NDArray[np.float32]]


class TrainingSite(Protocol):
    """A site as the rounds see it."""

    @property
    def weight(self) -> float: ...

    def update(self, shared: Sequence[NDArray[np.float32]], round_number: int) -> Arrays: ...


@dataclass(frozen=True)
class Scaled:
    """A site that sends its update many times over; a factor below zero leads away from what it has learned."""

    site: TrainingSite
    factor: float

    @property
    def weight(self) -> float:
        return self.site.weight

    def update(self, shared: Sequence[NDArray[np.float32]], round_number: int) -> Arrays:
        found = self.site.update(shared, round_number)
        return [(part * np.float32(self.factor)).astype(np.float32) for part in found]
