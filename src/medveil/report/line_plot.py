"""A plot of curves over numbers: lines with bands, or points with error bars.

Places are percentages of the plot, so that it fits any width; `template/plots.html` draws them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from medveil.report.axis import Axis, axis_over, log_axis_over
from medveil.report.row_plot import told

_MOST_DOTS = 30  # beyond, dots would hide the curve


@dataclass(frozen=True)
class Point:
    """A measured point, in percent from the left and from the top."""

    x: float
    y: float
    low: float | None
    high: float | None
    title: str


@dataclass(frozen=True)
class Curve:
    name: str
    hue: int
    reference: str | None  # chance, control or threshold: drawn thin, without points
    points: tuple[Point, ...]

    @property
    def quiet(self) -> bool:
        """Whether its points show only when pointed at."""
        return self.reference is not None or len(self.points) > _MOST_DOTS

    @property
    def path(self) -> str:
        return _path([(point.x, point.y) for point in self.points])

    @property
    def band(self) -> str:
        """The outline of the interval around the curve; empty where there is none."""
        bounded = [p for p in self.points if p.low is not None and p.high is not None]
        upper = [(p.x, p.high) for p in bounded]
        lower = [(p.x, p.low) for p in reversed(bounded)]
        return f"{_path([*upper, *lower])}Z" if bounded else ""  # type: ignore[list-item]


@dataclass(frozen=True)
class LinePlot:
    curves: tuple[Curve, ...]
    x_ticks: tuple[tuple[float, str], ...]
    y_axis: Axis
    connected: bool

    form = "lines"


def line_plot(figure: dict[str, Any], scale: str, references: frozenset[str]) -> LinePlot:
    series = figure["series"]
    sides = ("y", "low", "high")
    heights = [value for one in series for side in sides for value in (one[side] or [])]
    share = scale == "share"
    y_axis = (
        log_axis_over(heights, percent=share) if figure["y_log"] else axis_over(heights, percent=share, from_zero=share)
    )
    across, ticks = _across([x for one in series for x in one["x"]], log=figure["x_log"])
    curves, hue = [], 0
    for one in series:
        reference = one["name"].casefold() if one["name"].casefold() in references else None
        points = _points(one, scale, across, y_axis)
        curves.append(Curve(one["name"], hue, reference, points))
        hue += reference is None
    return LinePlot(tuple(curves), ticks, y_axis, connected=figure["kind"] == "line")


def _across(values: list[float | str], *, log: bool) -> tuple[dict[float | str, float], tuple[tuple[float, str], ...]]:
    """Where each x lies, and the ticks below the plot. Words are spread evenly, numbers to scale."""
    distinct = list(dict.fromkeys(values))
    if any(isinstance(x, str) for x in distinct):
        places = {x: 100 * (place + 0.5) / len(distinct) for place, x in enumerate(distinct)}
        return places, tuple((place, str(x)) for x, place in places.items())
    numbers = [x for x in distinct if isinstance(x, int | float)]
    axis = log_axis_over(numbers, percent=False) if log else axis_over(numbers, percent=False, from_zero=False)
    return {x: axis.at(x) for x in numbers}, tuple((axis.at(t), axis.label(t)) for t in axis.ticks)


def _points(series: dict[str, Any], scale: str, across: dict[float | str, float], y_axis: Axis) -> tuple[Point, ...]:
    def down(values: list[float | None] | None, place: int) -> float | None:
        value = values[place] if values else None
        return None if value is None else 100 - y_axis.at(value)

    points = []
    for place, x in enumerate(series["x"]):
        y = down(series["y"], place)
        if y is not None and x in across:
            title = f"{series['name']} at {x}: {told(series, x, scale)}"
            low, high = down(series["low"], place), down(series["high"], place)
            points.append(Point(across[x], y, low, high, title))
    return tuple(points)


def _path(points: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in points) if points else ""
