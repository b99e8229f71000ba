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
    (patients, unless said otherwise) that were resampled. What rests on more than was measured is a
    `scenario`: its ends are what may be, and nobody can say how often they hold the truth.
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
    scenario: bool = False

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
        column = np.asarray(replicates, dtype=np.float64)[:, None]
        return cls.from_columns(np.array([value]), column, n=n, units=units, level=level, **rest)[0]

    @classmethod
    def from_columns(
        cls,
        values: NDArray[np.float64],
        replicates: NDArray[np.float64],
        *,
        n: int,
        units: int,
        level: float = 0.95,
        **rest: Any,
    ) -> list[Estimate]:
        """The same of many values of one sample: a column of replicates for each."""
        rows = np.ascontiguousarray(replicates.T, dtype=np.float64)
        tail = (1 - level) / 2
        whole = not np.isnan(rows).any()  # what looks for gaps is slow
        lows, highs = (np.quantile if whole else np.nanquantile)(rows, [tail, 1 - tail], axis=1)
        spread = (np.std if whole else np.nanstd)(rows, axis=1, ddof=1)
        return [
            cls(
                value=float(value),
                sd=float(sd),
                low=float(min(low, value)),
                high=float(max(high, value)),
                n=n,
                units=units,
                level=level,
                replicates=row,
                **rest,
            )
            for value, sd, low, high, row in zip(values, spread, lows, highs, rows, strict=True)
        ]

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
            "scenario": self.scenario,
        }
