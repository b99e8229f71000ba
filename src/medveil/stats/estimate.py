"""`Estimate`: a number with everything needed to read it honestly."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Estimate:
    """A measured value, how sure it is, and what it should be compared with.

    `chance` is what blind guessing scores, `control` what an attacker scores without the data under
    test (age, sex, view and site only, say). `n` counts observations, `units` the independent units
    (patients, unless said otherwise) that were resampled.
    """

    value: float
    sd: float
    low: float
    high: float
    n: int
    units: int
    unit: str = "patient"
    level: float = 0.95
    chance: float | None = None
    control: float | None = None
    replicates: NDArray[np.float64] | None = field(default=None, compare=False, repr=False)

    @classmethod
    def from_replicates(
        cls,
        value: float,
        replicates: NDArray[np.float64],
        *,
        n: int,
        units: int,
        level: float = 0.95,
        **rest: Any,
    ) -> Estimate:
        """Percentile interval of bootstrap replicates, widened where needed so that it holds the value."""
        tail = (1 - level) / 2
        low, high = np.nanquantile(replicates, [tail, 1 - tail])
        return cls(
            value=float(value),
            sd=float(np.nanstd(replicates, ddof=1)),
            low=float(min(low, value)),
            high=float(max(high, value)),
            n=n,
            units=units,
            level=level,
            replicates=np.asarray(replicates, dtype=np.float64),
            **rest,
        )

    def minus(self, other: Estimate) -> Estimate:
        """The paired difference; both must come from the same resampling draws of the same units."""
        if self.replicates is None or other.replicates is None or len(self.replicates) != len(other.replicates):
            raise ValueError("a paired difference needs replicates from the same draws on both sides")
        return Estimate.from_replicates(
            self.value - other.value,
            self.replicates - other.replicates,
            n=self.n,
            units=self.units,
            unit=self.unit,
            level=self.level,
            chance=0.0,
        )

    def to_json(self) -> dict[str, Any]:
        """The published fields; the replicates stay behind."""
        return {
            "value": self.value,
            "sd": self.sd,
            "interval": [self.low, self.high],
            "level": self.level,
            "chance": self.chance,
            "control": self.control,
            "n": self.n,
            "units": self.units,
            "unit": self.unit,
        }
