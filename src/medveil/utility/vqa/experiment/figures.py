"""The figures of the experiment, as they are in print (2 and 8), with intervals by image."""

from __future__ import annotations

from collections.abc import Iterable

from medveil.finding import Figure, Series
from medveil.stats.estimate import Estimate
from medveil.utility.vqa.experiment.comparison import Compared
from medveil.utility.vqa.experiment.conditions import CONTROLS, METHODS, RAW, Condition
from medveil.utility.vqa.experiment.tables import BINS
from medveil.utility.vqa.scores import Score

Point = tuple[float | str, Estimate | None]


def by_method(compared: Compared) -> Figure:
    """As figure 2 in print."""
    conditions = compared.asked.under(RAW, *METHODS, *CONTROLS)
    series = [
        _series(score, ((each.method, compared.estimate(each, score)) for each in conditions))
        for score in compared.scores
    ]
    return Figure("Right answers by method", "interval", "method", "right answers", tuple(filter(None, series)))


def by_severity(compared: Compared, score: Score) -> Figure | None:
    """The share of right answers as more and more is hidden."""
    asked = compared.asked
    if len(asked.severities) < 2:
        return None
    series = []
    for method in METHODS:
        tried = [each for each in asked.answers if each.method == method]
        series.append(_series(method, ((each.severity, compared.estimate(each, score)) for each in tried)))
    raw = compared.estimate(Condition(RAW), score)
    series.append(_series(RAW, ((severity, raw) for severity in asked.severities)))
    return Figure(
        title="Right answers by mask severity",
        kind="line",
        x_title="share of the image hidden at least (0: what was found)",
        y_title=f"right answers ({score})",
        series=tuple(filter(None, series)),
        note="The mask grows from what was found, or from a corner where nothing was.",
    )


def by_amount_found(compared: Compared, score: Score) -> Figure | None:
    """As figure 8 in print: by how much of the image the method itself hid."""
    asked, series = compared.asked, []
    for condition in asked.under(*METHODS):
        hidden = asked.hidden[condition]
        inside = {name: (hidden >= low) & (hidden < high) for low, high, name in BINS}
        found = ((name, compared.estimate(condition, score, among=among)) for name, among in inside.items())
        series.append(_series(condition.method, found))
    drawn = tuple(filter(None, series))
    if not drawn:
        return None
    return Figure(
        title="Right answers by how much was found and hidden",
        kind="interval",
        x_title="share of the image hidden",
        y_title=f"right answers ({score})",
        series=drawn,
        note="A bin with answers on fewer than two images is left out; how many images each has is in a table.",
    )


def _series(name: str, points: Iterable[Point]) -> Series | None:
    found = [(x, each) for x, each in points if each is not None]
    if not found:
        return None
    low, value, high = (tuple(getattr(each, end) for _, each in found) for end in ("low", "value", "high"))
    return Series(name, tuple(x for x, _ in found), value, low, high)
