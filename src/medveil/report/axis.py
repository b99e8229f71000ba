"""A plot's axis: where a value lies between its ends, and the round numbers written along it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Axis:
    """A linear axis from its first tick to its last."""

    ticks: tuple[float, ...]
    percent: bool

    @property
    def low(self) -> float:
        return self.ticks[0]

    @property
    def high(self) -> float:
        return self.ticks[-1]

    def at(self, value: float) -> float:
        """Percent of the way along, held within the plot."""
        return min(100.0, max(0.0, 100 * (value - self.low) / (self.high - self.low)))

    def label(self, tick: float) -> str:
        step = self.ticks[1] - self.ticks[0]
        factor = 100 if self.percent else 1
        text = f"{tick * factor:,.{_places(step * factor)}f}".replace("-", "−")
        return f"{text}\u00a0%" if self.percent else text


@dataclass(frozen=True)
class LogAxis(Axis):
    """Equal factors at equal distances; what is zero or less lies at the lower end."""

    def at(self, value: float) -> float:
        if value <= self.low:
            return 0.0
        return min(100.0, 100 * math.log(value / self.low) / math.log(self.high / self.low))

    def label(self, tick: float) -> str:
        text = f"{tick * (100 if self.percent else 1):,.12f}".rstrip("0").rstrip(".")
        return f"{text}\u00a0%" if self.percent else text


def log_axis_over(values: Iterable[float | None], *, percent: bool) -> Axis:
    """An axis over powers of ten, or finer round numbers where it spans few of them, that holds every value above 0."""
    held = [value for value in values if value is not None and value > 0] or [1.0]
    first, last = math.floor(math.log10(min(held)) + 1e-9), math.ceil(math.log10(max(held)) - 1e-9)
    last = max(last, first + 1)
    if last - first > 2:
        step = -(-(last - first) // 6)  # at most about six ticks
        powers = range(first, last + step, step)
        return LogAxis(tuple(10.0**power for power in powers), percent)
    ticks = [float(f"{digit}e{power}") for power in range(first, last) for digit in (1, 2, 5)] + [10.0**last]
    low = max((tick for tick in ticks if tick <= min(held) * (1 + 1e-9)), default=ticks[0])
    high = min((tick for tick in ticks if tick >= max(held) * (1 - 1e-9) and tick > low), default=ticks[-1])
    return LogAxis(tuple(tick for tick in ticks if low <= tick <= high), percent)


def axis_over(values: Iterable[float | None], *, percent: bool, from_zero: bool) -> Axis:
    """An axis of about five round steps that holds every value."""
    held = [value for value in values if value is not None]
    if from_zero or not held:
        held.append(0.0)
    low, high = min(held), max(held)
    if high - low < 1e-9:
        high = low + (0.1 if percent else max(abs(low), 1.0))
    step = _round_step((high - low) / 5)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return Axis(tuple(round(index * step, 12) for index in range(first, last + 1)), percent)


def _round_step(rough: float) -> float:
    magnitude = 10.0 ** math.floor(math.log10(rough))
    return next(size * magnitude for size in _ROUND if size * magnitude >= rough * (1 - 1e-9))


def _places(step: float) -> int:
    """The fewest decimals that write a step exactly, within reason."""
    return next((places for places in range(9) if abs(step - round(step, places)) < step * 1e-6), 9)
