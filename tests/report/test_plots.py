"""Axes hold their values, and marks lie where the numbers say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medveil.report.axis import axis_over, log_axis_over
from medveil.report.content import ReportContent
from medveil.report.figures import draw, figures
from medveil.report.heat_plot import HeatPlot
from medveil.report.line_plot import LinePlot
from medveil.report.row_plot import RowPlot, comparison_plot


@given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.booleans())
def test_an_axis_holds_every_value_in_few_round_steps(values: list[float], from_zero: bool) -> None:
    axis = axis_over(values, percent=False, from_zero=from_zero)
    slack = 1e-6 * max(1.0, *map(abs, values))
    assert axis.low <= min(values) + slack and axis.high >= max(values) - slack
    assert 2 <= len(axis.ticks) <= 8
    assert axis.at(axis.low) == 0 and axis.at(axis.high) == 100
    assert not from_zero or axis.low <= 0 <= axis.high


@pytest.mark.parametrize(
    "values, percent, labels",
    [
        ([0.612, 0.04], True, ["0 %", "20 %", "40 %", "60 %", "80 %"]),
        ([0.5, 0.76], False, ["0.0", "0.2", "0.4", "0.6", "0.8"]),
        ([0.003], True, ["0.0 %", "0.1 %", "0.2 %", "0.3 %"]),
        ([], True, ["0 %", "2 %", "4 %", "6 %", "8 %", "10 %"]),
    ],
)
def test_tick_labels(values: list[float], percent: bool, labels: list[str]) -> None:
    axis = axis_over(values, percent=percent, from_zero=True)
    assert [axis.label(tick).replace("\u00a0", " ") for tick in axis.ticks] == labels


@given(st.lists(st.floats(1e-9, 1e9), min_size=1))
def test_a_log_axis_holds_every_value_with_equal_factors_apart(values: list[float]) -> None:
    axis = log_axis_over(values, percent=False)
    assert axis.low <= min(values) * 1.0001 and axis.high >= max(values) * 0.9999
    assert 2 <= len(axis.ticks) <= 8
    assert axis.at(axis.low) == axis.at(0) == 0 and axis.at(axis.high) == 100
    assert axis.at((axis.low * axis.high) ** 0.5) == pytest.approx(50)


@pytest.mark.parametrize(
    "values, percent, labels",
    [
        ([100, 43_793], False, ["100", "1,000", "10,000", "100,000"]),
        ([0.00002, 0.15], True, ["0.001 %", "0.01 %", "0.1 %", "1 %", "10 %", "100 %"]),
        ([1.2, 34], False, ["1", "2", "5", "10", "20", "50"]),
    ],
)
def test_log_tick_labels(values: list[float], percent: bool, labels: list[str]) -> None:
    axis = log_axis_over(values, percent=percent)
    assert [axis.label(tick).replace("\u00a0", " ") for tick in axis.ticks] == labels


def test_the_comparison_shows_before_after_chance_control_and_threshold(passing: ReportContent) -> None:
    plot = comparison_plot(passing.to_json()["comparisons"][0])
    assert [row.label for row in plot.rows] == ["Before", "After"]
    assert [row.marks[0].value for row in plot.rows] == [0.612, 0.041]
    assert [reference.style for reference in plot.rows[1].references] == ["chance", "control"]
    assert [line.value for line in plot.lines] == [0.09]
    assert plot.axis.at(0.4) == pytest.approx(50)


def test_before_and_after_are_drawn_together(passing: ReportContent) -> None:
    document = passing.to_json()["comparisons"]
    ((curve,),), ((bars,),), ((labels,),) = (figures(comparison) for comparison in document)
    assert isinstance(curve.plot, LinePlot) and isinstance(labels.plot, RowPlot)
    assert [name for _, name in labels.legend] == ["before", "after"]
    assert labels.references == ("chance",)
    assert len(labels.plot.rows) == len(labels.rows) == 14
    assert labels.rows[13][1] == "could not be measured"
    assert labels.plot.shape == "interval" and isinstance(bars.plot, RowPlot) and bars.plot.shape == "bar"
    assert bars.rows[0] == ("1", "47.0\u00a0%", "2.0\u00a0%")


def test_figures_that_cannot_be_one_stand_side_by_side(passing: ReportContent) -> None:
    comparison = passing.to_json()["comparisons"][0]
    series = comparison["after"]["figures"][0]["series"]
    series.append({**series[0], "name": "second"})
    (pair,) = figures(comparison)
    assert [figure.title.rsplit(", ")[-1] for figure in pair] == ["before", "after"]


def test_a_series_leaves_out_the_rows_it_says_nothing_of() -> None:
    one = {"name": "one", "x": ["a"], "y": [0.1], "low": None, "high": None}
    two = {"name": "two", "x": ["b"], "y": [None], "low": None, "high": None}
    figure = {"title": "t", "kind": "bar", "x_title": "", "y_title": "y", "note": "", "series": [one, two]}
    drawn = draw(figure, "share")
    assert isinstance(drawn.plot, RowPlot)
    assert [[mark.hue for mark in row.marks] for row in drawn.plot.rows] == [[0], [1]]
    assert drawn.rows == (("a", "10.0\u00a0%", "–"), ("b", "–", "could not be measured"))


def test_a_curve_is_drawn_to_scale() -> None:
    series = {"name": "a", "x": [0, 5, 10], "y": [0.0, None, 1.0], "low": None, "high": None}
    figure = {"title": "t", "kind": "line", "x_title": "x", "y_title": "y", "note": "", "series": [series]}
    figure |= {"x_log": False, "y_log": False}
    plot = draw(figure, "share").plot
    assert isinstance(plot, LinePlot)
    assert plot.curves[0].path == "M0.00 100.00L100.00 0.00"
    assert plot.curves[0].band == ""


def test_a_curve_over_powers_of_ten_is_a_straight_line() -> None:
    series = {"name": "a", "x": [100, 1000, 10_000, 100_000], "y": [1.0, 0.1, 0.01, 0.001], "low": None, "high": None}
    figure = {"title": "t", "kind": "line", "x_title": "x", "y_title": "y", "note": "", "series": [series]}
    plot = draw({**figure, "x_log": True, "y_log": True}, "share").plot
    assert isinstance(plot, LinePlot)
    assert plot.curves[0].path == "M0.00 0.00L33.33 33.33L66.67 66.67L100.00 100.00"
    assert [label for _, label in plot.x_ticks] == ["100", "1,000", "10,000", "100,000"]


def test_a_heatmap_tints_changes_that_exclude_zero() -> None:
    def series(name: str, y: list[float], low: list[float], high: list[float]) -> dict[str, object]:
        return {"name": name, "x": ["Edema", "Fracture"], "y": y, "low": low, "high": high}

    figure = {
        "title": "Change",
        "kind": "heatmap",
        "x_title": "finding",
        "y_title": "percentage points",
        "note": "",
        "x_log": False,
        "y_log": False,
        "series": [
            series("AUROC", [-2.0, 0.5], [-3.0, 0.1], [-1.0, 0.9]),
            series("accuracy", [9.0, 0.1], [-1.0, -0.2], [19.0, 0.4]),
        ],
    }
    drawn = draw(figure, "share")
    assert isinstance(drawn.plot, HeatPlot)
    assert drawn.plot.columns == ("AUROC", "accuracy")
    (edema, first), (_, second) = drawn.plot.rows
    assert (edema, first[0].text, first[0].tint) == ("Edema", "−2.00", "down-4")
    assert (first[1].text, first[1].tint) == ("+9.00", ""), "large, and perhaps nothing"
    assert second[0].tint == "up-1" and second[1].tint == ""
    assert drawn.legend == () and drawn.columns == ("finding", "AUROC", "accuracy")
