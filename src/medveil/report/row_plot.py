"""A plot of rows: one line of text each, and beside it bars or intervals along a shared axis.

Everything lies at percentages of the width, so the plot fits a phone, a screen and a page alike and its
text never shrinks. This file says where things lie; `template/plots.html` draws them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from medveil.report import wording
from medveil.report.axis import Axis, axis_over

Shape = Literal["interval", "bar"]


@dataclass(frozen=True)
class Mark:
    """A value with its interval, in the colour of its series."""

    hue: int
    value: float | None
    low: float | None
    high: float | None
    title: str


@dataclass(frozen=True)
class Reference:
    """Something to compare with: chance, the control attack, or the threshold."""

    style: str
    value: float | None
    title: str


@dataclass(frozen=True)
class Row:
    label: str
    marks: tuple[Mark, ...]
    references: tuple[Reference, ...] = ()


@dataclass(frozen=True)
class RowPlot:
    rows: tuple[Row, ...]
    axis: Axis
    shape: Shape
    lines: tuple[Reference, ...] = ()  # across all rows

    form = "rows"

    @property
    def zero(self) -> float:
        return self.axis.at(0.0)

    def level(self, row: Row, place: int) -> float:
        """How far down its row a mark lies, in percent."""
        return 100 * (place + 1) / (len(row.marks) + 1)

    def height(self, row: Row) -> int:
        return 22 + 15 * max(1, len(row.marks))


def comparison_plot(comparison: dict[str, Any]) -> RowPlot:
    """The headline before and after, with chance, control and threshold."""
    after = comparison["after"]
    scale, threshold = after["scale"], after["threshold"]
    rows = tuple(
        _finding_row(label if comparison["before"] else "Measured", hue, comparison[label.lower()])
        for hue, label in enumerate(("Before", "After"))
        if comparison[label.lower()]
    )
    lines: tuple[Reference, ...] = ()
    if threshold:
        title = f"Threshold {threshold['name']}: {wording.limit(threshold['value'], scale)}"
        lines = (Reference("threshold", threshold["value"], title),)
    share = scale == "share"
    axis = axis_over(_values(rows, lines), percent=share, from_zero=share)
    return RowPlot(rows, axis, "interval", lines)


def figure_rows(figure: dict[str, Any], scale: str, references: frozenset[str]) -> RowPlot:
    """A figure over named categories."""
    drawn = [series for series in figure["series"] if series["name"].casefold() not in references]
    compared = [series for series in figure["series"] if series["name"].casefold() in references]
    categories = dict.fromkeys(x for series in drawn for x in series["x"])
    rows = tuple(
        Row(
            _category(x),
            tuple(_series_mark(series, hue, x, scale) for hue, series in enumerate(drawn) if x in series["x"]),
            tuple(_series_reference(series, x, scale) for series in compared if x in series["x"]),
        )
        for x in categories
    )
    shape: Shape = "bar" if figure["kind"] == "bar" else "interval"
    axis = axis_over(_values(rows, ()), percent=scale == "share", from_zero=shape == "bar")
    return RowPlot(rows, axis, shape)


def at(series: dict[str, Any], x: float | str, side: str) -> float | None:
    """The series' y, low or high at x, where it has one."""
    values: list[float | None] | None = series[side]
    return values[series["x"].index(x)] if values and x in series["x"] else None


def told(series: dict[str, Any], x: float | str, scale: str) -> str:
    """The value at x in words, with its interval where it has one."""
    value, low, high = (at(series, x, side) for side in ("y", "low", "high"))
    shown = wording.number(value, scale)
    if value is None or low is None or high is None:
        return shown
    return f"{shown} ({wording.number(low, scale)} to {wording.number(high, scale)})"


def _finding_row(label: str, hue: int, finding: dict[str, Any]) -> Row:
    scale, headline = finding["scale"], finding["headline"]
    found = finding["estimates"][headline]
    low, high = found["interval"]
    references = tuple(
        Reference(style, found[style], f"{label}, {style}: {wording.number(found[style], scale)}")
        for style in ("chance", "control")
        if found[style] is not None
    )
    title = f"{label}, {headline}: {wording.estimate(found, scale)}"
    return Row(label, (Mark(hue, found["value"], low, high, title),), references)


def _series_mark(series: dict[str, Any], hue: int, x: float | str, scale: str) -> Mark:
    value, low, high = (at(series, x, side) for side in ("y", "low", "high"))
    return Mark(hue, value, low, high, f"{_category(x)}, {series['name']}: {told(series, x, scale)}")


def _series_reference(series: dict[str, Any], x: float | str, scale: str) -> Reference:
    title = f"{_category(x)}, {series['name']}: {told(series, x, scale)}"
    return Reference(series["name"].casefold(), at(series, x, "y"), title)


def _category(x: float | str) -> str:
    return x if isinstance(x, str) else f"{x:g}"


def _values(rows: tuple[Row, ...], lines: tuple[Reference, ...]) -> list[float | None]:
    marks = [value for row in rows for mark in row.marks for value in (mark.value, mark.low, mark.high)]
    references = [reference.value for row in rows for reference in row.references]
    return [*marks, *references, *(line.value for line in lines)]
