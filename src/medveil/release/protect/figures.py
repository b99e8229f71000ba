"""The figures of a frontier: the published ones, the frontier itself, and the refit attack."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from medveil.finding import Figure, Series
from medveil.release.protect.operating_point import OperatingPoint
from medveil.stats.estimate import Estimate
from medveil.stats.paired import changes
from medveil.utility.linear_probe import MEASURES

MACRO = ("macro AUROC", "macro accuracy", "macro sensitivity", "macro specificity")


def frontier_figure(points: Sequence[OperatingPoint], linkage: str, title: str) -> Figure:
    """Utility over linkage, one series a variant; nearer to the upper left is better."""
    variants = list(dict.fromkeys(point.variant for point in points))
    series = []
    for variant in variants:
        own = sorted((p for p in points if p.variant == variant), key=lambda p: p.estimates[linkage].value)
        utility = [point.estimates["macro AUROC"] for point in own]
        series.append(_series(variant, [point.estimates[linkage].value for point in own], utility))
    return Figure(
        title,
        "interval",
        "Recall@1",
        "macro AUROC",
        tuple(series),
        note="Each point is one setting of a variant: further left links less, further up keeps more.",
    )


def pool_figure(points: Sequence[OperatingPoint], metric: str, cohort: str | None = None) -> Figure:
    """A retrieval metric over the pool size (published Figure 4 a, b)."""
    prefix = f"{cohort}: " if cohort else ""
    series = [_by_pool(point, prefix, metric) for point in points]
    chance = _by_pool(points[0], prefix, metric, chance=True)
    return Figure(
        f"{metric} by pool size" + (f", {cohort}" if cohort else ""),
        "line",
        "candidates in the pool",
        metric,
        (*series, chance),
        x_log=True,
        y_log=True,
    )


def relative_figure(points: Sequence[OperatingPoint], cohort: str | None = None) -> Figure:
    """The change of Recall@1 against the heads as they are, in percent (published Figure 4 c, f)."""
    prefix = f"{cohort}: " if cohort else ""
    sizes = _sizes(points[0], prefix)
    names = [f"{prefix}random {name} Recall@1" for name, _ in sizes]
    series = [
        _percents(
            point.name,
            tuple(float(size) for _, size in sizes),
            [relative_change(points[0].estimates[name], point.estimates[name]) for name in names],
        )
        for point in points[1:]
    ]
    return Figure(
        "Change of Recall@1 against the heads as they are" + (f", {cohort}" if cohort else ""),
        "line",
        "candidates in the pool",
        "percent",
        tuple(series),
        x_log=True,
    )


def fold_figure(points: Sequence[OperatingPoint], pool: str, cohort: str | None = None) -> Figure:
    """How many times chance, in random and in matched pools (published Figure 4 g, h)."""
    prefix = f"{cohort}: " if cohort else ""
    series = []
    for kind in ("random", "matched"):
        found = {point.name: point.estimates.get(f"{prefix}{kind} {pool} Recall@1") for point in points}
        known = {name: estimate for name, estimate in found.items() if estimate is not None and estimate.chance}
        if known:
            series.append(_folds(f"{kind} pools", known))
    names = tuple(point.name for point in points)
    series.append(Series("chance", names, (1.0,) * len(names)))
    title = f"Recall@1 in pools of {pool}, times chance" + (f", {cohort}" if cohort else "")
    return Figure(title, "interval", "", "times chance", tuple(series))


def matched_change_figure(points: Sequence[OperatingPoint], pool: str, cohorts: Sequence[str]) -> Figure | None:
    """The change of Recall@1 in pathology-matched pools, here and elsewhere (published Figure 4 i)."""
    series = []
    for name, prefix in (("here", ""), *((cohort, f"{cohort}: ") for cohort in cohorts)):
        key = f"{prefix}matched {pool} Recall@1"
        if key not in points[0].estimates:
            continue
        found = [relative_change(points[0].estimates[key], point.estimates[key]) for point in points[1:]]
        series.append(_percents(name, tuple(point.name for point in points[1:]), found))
    if not series:
        return None
    title = f"Change of Recall@1 in pathology-matched pools of {pool}, against the heads as they are"
    return Figure(title, "bar", "", "percent", tuple(series))


def remaining_figure(points: Sequence[OperatingPoint], pool: str) -> Figure:
    """What remains of linkage and of utility, the heads as they are being 100 (published Figure 5 a)."""
    names = tuple(point.name for point in points)
    series = tuple(
        Series(told, names, tuple(100 * _ratio(points[0].estimates[key], point.estimates[key]) for point in points))
        for told, key in (("Recall@1", f"random {pool} Recall@1"), ("macro AUROC", "macro AUROC"))
    )
    return Figure("What remains, in percent of the heads as they are", "bar", "", "percent", series)


def change_figures(before: OperatingPoint, after: OperatingPoint) -> tuple[Figure, Figure, Figure]:
    """Paired changes of the macro measures, of every finding's AUROC, and of all its measures (published Figure 5 b to
    d)."""
    found = changes(before.measured.utility, after.measured.utility)
    macro = {name: found[name].delta for name in MACRO if name in found}
    labels = {
        name.removesuffix(" AUROC"): change.delta
        for name, change in found.items()
        if name.endswith(" AUROC") and not name.startswith("macro")
    }
    ordered = dict(sorted(labels.items(), key=lambda label: -abs(label[1].value)))
    return (
        _points_figure(f"Change of utility, {after.name} against {before.name}", macro),
        _points_figure(f"Change of AUROC by finding, {after.name} against {before.name}", ordered),
        Figure(
            f"Change of every measure by finding, {after.name} against {before.name}",
            "heatmap",
            "finding",
            "percentage points",
            tuple(
                _percents(measure, tuple(ordered), [found[f"{label} {measure}"].delta for label in ordered])
                for measure in MEASURES
            ),
            note="Blue is more, orange is less; without a tint, the 95 % interval includes zero.",
        ),
    )


def refit_figure(points: Sequence[OperatingPoint], pool: str, features: Sequence[tuple[int, Estimate]]) -> Figure:
    """Recall@1 over the number of the adversary's own pairs."""
    series = []
    for point in points:
        refits = [p for p in point.measured.refit if p.own]
        series.append(_series(point.name, [p.own for p in refits], [p.recall[pool] for p in refits]))
    if features:
        known = [(own, estimate) for own, estimate in features if own]
        series.append(_series("frozen features", [own for own, _ in known], [estimate for _, estimate in known]))
    own_pairs = sorted({x for one in series for x in one.x})
    chance = next((p.recall[pool].chance for point in points for p in point.measured.refit), None)
    if chance is not None:
        series.append(Series("chance", tuple(own_pairs), tuple(chance for _ in own_pairs)))
    return Figure(
        "The link after a refit",
        "line",
        "pairs of the adversary's own",
        f"Recall@1 in pools of {pool}",
        tuple(series),
        note="Where a line climbs back, the defense had hidden the link, not removed it.",
        x_log=True,
    )


def _series(name: str, x: Sequence[float], estimates: Sequence[Estimate]) -> Series:
    return Series(
        name,
        tuple(x),
        tuple(estimate.value for estimate in estimates),
        tuple(estimate.low for estimate in estimates),
        tuple(estimate.high for estimate in estimates),
    )


def _sizes(point: OperatingPoint, prefix: str) -> list[tuple[str, int]]:
    """Names of the random pools and how many candidates they hold."""
    start, end = f"{prefix}random ", " Recall@1"
    names = [name[len(start) : -len(end)] for name in point.estimates if name.startswith(start) and name.endswith(end)]
    everyone = point.estimates[f"{start}all{end}"]
    return [(name, round(1 / everyone.chance) if name == "all" and everyone.chance else int(name)) for name in names]


def _by_pool(point: OperatingPoint, prefix: str, metric: str, *, chance: bool = False) -> Series:
    sizes = _sizes(point, prefix)
    found = [point.estimates[f"{prefix}random {name} {metric}"] for name, _ in sizes]
    places = tuple(float(size) for _, size in sizes)
    if chance:
        return Series("chance", places, tuple(estimate.chance or 0.0 for estimate in found))
    return _series(point.name, places, found)


def _folds(name: str, found: dict[str, Estimate]) -> Series:
    def times(number: float, estimate: Estimate) -> float:
        return number / (estimate.chance or 1.0)

    return Series(
        name,
        tuple(found),
        tuple(times(e.value, e) for e in found.values()),
        tuple(times(e.low, e) for e in found.values()),
        tuple(times(e.high, e) for e in found.values()),
    )


def _points_figure(title: str, deltas: dict[str, Estimate]) -> Figure:
    """Differences in percentage points."""
    series = _percents("change", tuple(deltas), list(deltas.values()))
    return Figure(
        title, "interval", "", "percentage points", (series,), note="Intervals that exclude zero are changes."
    )


def _percents(name: str, x: tuple[float | str, ...], found: Sequence[Estimate]) -> Series:
    return Series(
        name,
        x,
        tuple(100 * each.value for each in found),
        tuple(100 * each.low for each in found),
        tuple(100 * each.high for each in found),
    )


def relative_change(before: Estimate, after: Estimate) -> Estimate:
    """After over before, less one, redraw by redraw; where there was nothing before, against chance."""
    assert before.replicates is not None and after.replicates is not None
    base = before.value or before.chance or 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = np.where(before.replicates > 0, after.replicates / before.replicates - 1, np.nan)
    known = drawn[np.isfinite(drawn)]
    value = after.value / base - 1
    drawn = known if len(known) > 1 else np.full(2, value)
    return Estimate.from_replicates(value, drawn, n=after.n, units=after.units, unit=after.unit)


def _ratio(before: Estimate, after: Estimate) -> float:
    return after.value / (before.value or before.chance or 1.0)
