"""The figures of a linkage audit, after the published ones: encoders compared, pools of all sizes, both protocols."""

from __future__ import annotations

import numpy as np

from medveil.attacks.linkage.estimates import Estimates
from medveil.attacks.linkage.extrapolation import DATABASES, Extrapolation
from medveil.attacks.linkage.measurement import Setting
from medveil.attacks.linkage.settings import DIRECTIONS
from medveil.attacks.linkage.tables import size_name
from medveil.finding import SMALLEST_GROUP, Figure, Series, percent
from medveil.stats.estimate import Estimate

Results = dict[str, dict[Setting, Estimates]]
_VANISHING = 100  # an interval that reaches this many times below its value is drawn to the end of a log axis


def curve_figures(results: Results, sizes: tuple[int, ...], candidates: int) -> list[Figure]:
    """Fold above chance, and Recall@1 and MRR, over the size of the pool."""
    if not sizes:
        return []
    settings = [Setting(DIRECTIONS[0], "random", size) for size in sizes] + [Setting(DIRECTIONS[0], "random", None)]
    x = tuple(float(size) for size in (*sizes, candidates))
    folds, raw = [], []
    for encoder, each in results.items():
        recall, mrr = ([each[setting][metric] for setting in settings] for metric in ("Recall@1", "MRR"))
        folds.append(_line(encoder, x, [_fold(found) for found in recall]))
        raw += [_line(f"{encoder}, Recall@1", x, recall), _line(f"{encoder}, MRR", x, mrr)]
    chance = tuple(found.chance or 0.0 for found in recall)
    shown = {"kind": "line", "x_title": "candidates", "x_log": True, "y_log": True}
    return [
        Figure(
            title="Recall@1 over chance, by number of candidates",
            y_title="times chance",
            series=(*folds, Series("chance", x, (1.0,) * len(x))),
            **shown,  # type: ignore[arg-type]
        ),
        Figure(
            title="Recall@1 and MRR, by number of candidates",
            y_title="share",
            series=(*raw, Series("chance", x, chance)),
            note="Chance is that of Recall@1.",
            **shown,  # type: ignore[arg-type]
        ),
    ]


def hierarchy_figure(results: Results, size: int | None, candidates: int) -> Figure:
    """Which encoder links best, in pools of one size."""
    found = {encoder: each[Setting(DIRECTIONS[0], "random", size)] for encoder, each in results.items()}
    encoders = tuple(found)
    one = next(iter(found.values()))
    return Figure(
        title=f"Encoders compared among {size_name(size, candidates)} candidates",
        kind="bar",
        x_title="encoder",
        y_title="share",
        series=(
            _line("Recall@1", encoders, [each["Recall@1"] for each in found.values()]),
            _line("MRR", encoders, [each["MRR"] for each in found.values()]),
            Series("chance", encoders, (one["Recall@1"].chance or 0.0,) * len(encoders)),
        ),
        note=f"Chance is that of Recall@1; for MRR it is {percent(one['MRR'].chance)}.",
    )


def matched_figures(results: Results, size: int) -> list[Figure]:
    """Random candidates against candidates with the same findings, in pools of one size."""
    pairs = {
        encoder: tuple(each[Setting(DIRECTIONS[0], protocol, size)]["Recall@1"] for protocol in ("random", "matched"))
        for encoder, each in results.items()
    }
    encoders, protocols = tuple(pairs), ("random", "pathology-matched")
    chance = next(iter(pairs.values()))[0].chance or 0.0
    reductions = [reduction(*pair) for pair in pairs.values()]
    among = f"among {size:,} candidates"
    return [
        Figure(
            title=f"Recall@1 before and after pathology matching, {among}",
            kind="interval",
            x_title="candidates",
            y_title="Recall@1",
            series=(
                *(_line(encoder, protocols, list(pair)) for encoder, pair in pairs.items()),
                Series("chance", protocols, (chance, chance)),
            ),
        ),
        Figure(
            title=f"Share of Recall@1 lost to pathology matching, {among}",
            kind="bar",
            x_title="encoder",
            y_title="share lost",
            series=(_line("lost", encoders, reductions),),
            note="All of it would mean that findings explain the linkage; below zero, matched candidates were easier.",
        ),
        Figure(
            title=f"Recall@1 over chance under both protocols, {among}",
            kind="bar",
            x_title="encoder",
            y_title="times chance",
            series=(
                *(
                    _line(name, encoders, [_fold(pair[side]) for pair in pairs.values()])
                    for side, name in enumerate(protocols)
                ),
                Series("chance", encoders, (1.0,) * len(encoders)),
            ),
        ),
    ]


def database_figure(
    results: Results, fits: dict[str, Extrapolation], sizes: tuple[int, ...], candidates: int
) -> list[Figure]:
    """What was measured, and the fitted curve beyond it."""
    if not fits:
        return []
    settings = [Setting(DIRECTIONS[0], "random", size) for size in sizes] + [Setting(DIRECTIONS[0], "random", None)]
    measured = tuple(float(size) for size in (*sizes, candidates))
    beyond = (float(candidates), *(float(size) for size in DATABASES if size > candidates))
    series = []
    for encoder, fit in fits.items():
        series.append(_line(encoder, measured, [results[encoder][setting]["Recall@1"] for setting in settings]))
        series.append(_line(f"{encoder}, scenario", beyond, [fit.at(int(size)) for size in beyond]))
    x = (*measured, *beyond[1:])
    return [
        Figure(
            title="Recall@1 in larger databases",
            kind="line",
            x_title="candidates",
            y_title="Recall@1",
            series=(*series, Series("chance", x, tuple(1 / size for size in x))),
            note="; ".join(
                f"{encoder}: {fit.model}, fitted to a tenth of the candidates, missed the value measured with all by "
                f"{fit.errors[fit.model] * 100:+.1f} %"
                for encoder, fit in fits.items()
            )
            + ".",
            x_log=True,
            y_log=True,
        )
    ]


def group_figure(groups: dict[str, Estimate], size: str) -> list[Figure]:
    """One figure with every group's interval, control and chance; none where no group is large enough."""
    if not groups:
        return []
    x, found = tuple(groups), list(groups.values())
    return [
        Figure(
            title="Recall@1 by group",
            kind="interval",
            x_title="group",
            y_title="Recall@1",
            series=(
                _line("linked", x, found),
                Series("control", x, tuple(each.control or 0.0 for each in found)),
                Series("chance", x, tuple(each.chance or 0.0 for each in found)),
            ),
            note=(
                f"Among {size} candidates. Groups of fewer than {SMALLEST_GROUP} patients are left out. "
                "Findings overlap."
            ),
        )
    ]


def reduction(before: Estimate, after: Estimate) -> Estimate:
    """The share of `before` that is gone in `after`, redraw by redraw."""
    assert before.replicates is not None and after.replicates is not None
    if before.value <= 0:
        return Estimate(0.0, 0.0, 0.0, 0.0, n=before.n, units=before.units, unit=before.unit)
    with np.errstate(divide="ignore", invalid="ignore"):
        lost = np.where(before.replicates > 0, 1 - after.replicates / before.replicates, np.nan)
    return Estimate.from_replicates(
        1 - after.value / before.value, lost, n=before.n, units=before.units, unit=before.unit
    )


def _fold(found: Estimate) -> Estimate:
    """In multiples of chance."""
    chance = found.chance or 1.0
    value, sd, low, high = (number / chance for number in (found.value, found.sd, found.low, found.high))
    return Estimate(value, sd, low, high, n=found.n, units=found.units, unit=found.unit)


def _line(name: str, x: tuple[float | str, ...], found: list[Estimate]) -> Series:
    low = tuple(each.low if each.low * _VANISHING > each.value else min(0.0, each.low) for each in found)
    return Series(name, x, tuple(each.value for each in found), low, tuple(each.high for each in found))
