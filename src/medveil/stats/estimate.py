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
    (patients, unless said otherwise) that were resampled. The ends of a share, and of what is made of shares, are
    `bounds`: they hold the truth at least as often as `level` says, and more often where successes are rare, for what
    was never seen may still happen. What rests on more than was measured is a `scenario`: its ends are what may be,
    and nobody can say how often they hold the truth.
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
    bounds: bool = False
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

    def minus(self, other: Estimate, *, bounded: bool = True) -> Estimate:
        """The paired difference; both must come from the same resampling draws of the same units.

        That of two shares is bounded by what units that were not drawn might do, all or nothing of each; without
        `bounded` its interval is that of the redraws alone.
        """
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
        return _of_shares(change) if bounded and self.bounds and other.bounds else change

    def as_share(self, *, spread: float | None = None, level: float | None = None) -> Estimate:
        """With the wider of its own ends and the exact ones: redraws never invent a success that was not seen."""
        low, high = exact_interval(self.value, self.units, spread=spread, level=level or self.level)
        return replace(self, low=min(self.low, low), high=max(self.high, high), bounds=True)

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
            "bounds": self.bounds,
            "scenario": self.scenario,
        }


def _expanded(tail: float, units: int) -> float:
    """The percentile that stands for `tail` where there are so few units."""
    if units < 2:
        return tail
    return float(ndtr(np.sqrt(units / (units - 1)) * stdtrit(units - 1, tail)))


def exact_interval(value: float, n: int, *, spread: float | None = None, level: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's interval for a share of n independent tries.

    Where tries succeed by degrees, `spread` is the standard deviation of what they reach, at most that of hits and
    misses. The interval is then Gaffke's (2005), for means of anything between 0 and 1: that of a sample with one more
    try, a full success for the upper end and none for the lower, weighed at random. It is taken from the beta
    distribution with the same mean and variance, which for hits and misses is Clopper and Pearson's own. That it holds
    for every population is conjectured, not proved.
    """
    tail = (1 - level) / 2
    most = value * (1 - value)
    varies = most if spread is None else min(most, spread**2)
    return 1 - _upper(1 - value, varies, n, tail), _upper(value, varies, n, tail)


def _upper(value: float, varies: float, n: int, tail: float) -> float:
    """The upper end, from a mean and a variance among tries; never below what as many equal tries leave open."""
    missed = max(0.0, 1 - value)
    if missed < 1e-12:
        return 1.0
    mean, rest = (n * value + 1) / (n + 1), n * missed / (n + 1)
    variance = n * ((n + 1) * varies + missed**2) / (n + 1) ** 2 / (n + 2)
    known = mean * rest / variance - 1
    unseen = -np.expm1(np.log(tail) / n)  # of successes, where there was none in n tries
    return float(max(betaincinv(mean * known, rest * known, 1 - tail), value + missed * unseen))


def _of_shares(change: Estimate) -> Estimate:
    """A difference of shares, with bounds that stay honest where few units changed, or none did.

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
        bounds=True,
    )
