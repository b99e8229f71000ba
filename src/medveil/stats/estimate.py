"""`Estimate`: a number with everything needed to read it honestly."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtr, stdtrit


@dataclass(frozen=True)
class Estimate:
    """A measured value, how sure it is, and what it should be compared with.

    `chance` is what blind guessing scores, `control` what an attacker scores without the data under
    test (age, sex, view and site only, say). `n` counts observations, `units` the independent units
    (patients, unless said otherwise) that were resampled. `share` says that it is a share of them, or of what they
    have, so that what was never seen may still happen. What rests on more than was measured is a
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
    share: bool = False
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
        """Percentile interval of bootstrap replicates, as wide as so few units ask for, and so that it holds the value.

        Redraws of n units vary less than fresh samples do, and by a normal law where Student's is due: the percentiles
        are those that make up for both (the expanded percentile interval, Hesterberg 2015).
        """
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
        tail = _expanded((1 - level) / 2, units)
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
        change = Estimate.from_replicates(
            self.value - other.value,
            self.replicates - other.replicates,
            n=self.n,
            units=self.units,
            unit=self.unit,
            level=self.level,
            chance=0.0,
        )
        return _of_shares(change) if self.share and other.share else change

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


def _expanded(tail: float, units: int) -> float:
    """The percentile that stands for `tail` where there are so few units."""
    if units < 2:
        return tail
    return float(ndtr(np.sqrt(units / (units - 1)) * stdtrit(units - 1, tail)))


def exact_interval(value: float, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's interval for a share of n independent tries."""
    tail = (1 - level) / 2
    hits = value * n
    low = betaincinv(hits, n - hits + 1, tail) if hits > 0 else 0.0
    high = betaincinv(hits + 1, n - hits, 1 - tail) if hits < n else 1.0
    return float(low), float(high)


def _of_shares(change: Estimate) -> Estimate:
    """A difference of shares, with an interval that stays honest where few units changed, or none did.

    How many units gained and how many lost follows from the spread of the redraws. Either is a share with an exact
    interval, and the two make up the difference's (Zou and Donner 2008); the wider of this and the redraws' counts.
    """
    moved = min(1.0, change.sd**2 * change.units + change.value**2)
    gained, lost = (min(1.0, max(0.0, moved + sign * change.value) / 2) for sign in (1, -1))
    (fewer_gained, more_gained), (fewer_lost, more_lost) = (
        exact_interval(part, change.units, level=change.level) for part in (gained, lost)
    )
    down = np.hypot(gained - fewer_gained, more_lost - lost)
    up = np.hypot(more_gained - gained, lost - fewer_lost)
    return replace(
        change,
        low=max(-1.0, min(change.low, change.value - float(down))),
        high=min(1.0, max(change.high, change.value + float(up))),
    )
