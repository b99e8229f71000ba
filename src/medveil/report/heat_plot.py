"""A table of changes, by row and column, tinted by their direction and size; plain where zero is not excluded.

This file says which cell has which tint; `template/plots.html` draws them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from medveil.report import wording
from medveil.report.row_plot import at, told

STEPS = 4  # tints in either direction


@dataclass(frozen=True)
class Cell:
    """A change as text, and its tint: `up-1` to `up-4`, `down-1` to `down-4`, or none."""

    text: str
    tint: str
    title: str


@dataclass(frozen=True)
class HeatPlot:
    """A column a series, a row a category."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]

    form = "heat"


def heat_plot(figure: dict[str, Any]) -> HeatPlot:
    series = figure["series"]
    largest = max(
        (abs(one["y"][place]) for one in series for place in range(len(one["x"])) if _counts(one, place)), default=0.0
    )
    categories = dict.fromkeys(x for one in series for x in one["x"])
    rows = tuple((str(x), tuple(_cell(one, x, largest) for one in series)) for x in categories)
    return HeatPlot(tuple(one["name"] for one in series), rows)


def _counts(series: dict[str, Any], place: int) -> bool:
    """Whether the interval excludes zero; what has none counts."""
    value = series["y"][place]
    if value is None or not series["low"] or not series["high"]:
        return value is not None
    low, high = series["low"][place], series["high"][place]
    return low is not None and high is not None and not low <= 0 <= high


def _cell(series: dict[str, Any], x: float | str, largest: float) -> Cell:
    value = at(series, x, "y")
    if value is None:
        return Cell("–", "", f"{x}, {series['name']}: {wording.NOT_MEASURED}")
    tint = ""
    if largest and value and _counts(series, series["x"].index(x)):
        step = min(STEPS, math.ceil(STEPS * abs(value) / largest))
        tint = f"{'up' if value > 0 else 'down'}-{step}"
    return Cell(f"{value:+.2f}".replace("-", "−"), tint, f"{x}, {series['name']}: {told(series, x, 'score')}")
