"""The figures of a comparison: before and after drawn into one where they fit, and their numbers as tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from medveil.report.heat_plot import HeatPlot, heat_plot
from medveil.report.line_plot import LinePlot, line_plot
from medveil.report.row_plot import RowPlot, figure_rows, told

# A series of one of these names is something to compare with, not a result.
REFERENCES = frozenset({"chance", "control", "threshold"})


@dataclass(frozen=True)
class Drawn:
    """A figure ready to be drawn, with its legend and its numbers."""

    title: str
    note: str
    x_title: str
    y_title: str
    plot: RowPlot | LinePlot | HeatPlot
    legend: tuple[tuple[int, str], ...]  # colour, name
    references: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def figures(comparison: dict[str, Any]) -> list[tuple[Drawn, ...]]:
    """Every figure of the comparison: before and after drawn into one where both have the one series, or else as two
    that stand side by side."""
    before = {figure["title"]: figure for figure in (comparison["before"] or {"figures": []})["figures"]}
    scale = comparison["after"]["scale"]
    drawn: list[tuple[Drawn, ...]] = []
    for figure in comparison["after"]["figures"]:
        earlier = before.pop(figure["title"], None)
        if earlier is None:
            drawn.append((draw(figure, scale),))
        elif together := _paired(earlier, figure):
            drawn.append((draw(together, scale),))
        else:
            drawn.append((draw(_titled(earlier, "before"), scale), draw(_titled(figure, "after"), scale)))
    return drawn + [(draw(_titled(figure, "before"), scale),) for figure in before.values()]


def draw(figure: dict[str, Any], scale: str) -> Drawn:
    scale = "share" if scale == "share" and _all_shares(figure) else "score"
    over_words = any(isinstance(x, str) for series in figure["series"] for x in series["x"])
    as_rows = figure["kind"] == "bar" or (figure["kind"] == "interval" and over_words)
    plot: RowPlot | LinePlot | HeatPlot
    if figure["kind"] == "heatmap":
        plot = heat_plot(figure)
    else:
        plot = (figure_rows if as_rows else line_plot)(figure, scale, REFERENCES)
    names = [series["name"] for series in figure["series"]]
    results = [name for name in names if name.casefold() not in REFERENCES]
    xs = dict.fromkeys(x for series in figure["series"] for x in series["x"])
    return Drawn(
        title=figure["title"],
        note=figure["note"],
        x_title=figure["x_title"],
        y_title=figure["y_title"],
        plot=plot,
        legend=() if figure["kind"] == "heatmap" else tuple(enumerate(results)),
        references=tuple(name for name in names if name not in results),
        columns=(figure["x_title"], *names),
        rows=tuple((str(x), *_told_all(figure["series"], x, scale)) for x in xs),
    )


def _told_all(series: list[dict[str, Any]], x: float | str, scale: str) -> list[str]:
    return [told(one, x, scale) if x in one["x"] else "–" for one in series]


def _paired(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any] | None:
    """One figure with a series each for before and after, if both have one and the same references."""
    (old, old_references), (new, new_references) = _split(before), _split(after)
    if before["kind"] != after["kind"] or len(old) != 1 or len(new) != 1 or old_references != new_references:
        return None
    series = [{**old[0], "name": "before"}, {**new[0], "name": "after"}, *new_references]
    return {**after, "series": series}


def _split(figure: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    references = [series for series in figure["series"] if series["name"].casefold() in REFERENCES]
    return [series for series in figure["series"] if series not in references], references


def _titled(figure: dict[str, Any], when: str) -> dict[str, Any]:
    return {**figure, "title": f"{figure['title']}, {when}"}


def _all_shares(figure: dict[str, Any]) -> bool:
    return all(y is None or 0 <= y <= 1 for series in figure["series"] for y in series["y"])
