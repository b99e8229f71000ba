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
