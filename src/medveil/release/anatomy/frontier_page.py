"""What a sweep came to, told: the figure of risk and utility, its table, and everything as rows for a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from medveil.attacks.identity.adversaries.attacked import ATTACKERS, MODES
from medveil.finding import Figure, Series, Table
from medveil.release.anatomy.frontier import NOTHING, Judged
from medveil.stats.estimate import Estimate

COLUMNS = ("method", "level", "bits", "measure", "value", "low", "high", "chance", "n", "units")
_MODES = {"dd": "among defended films", "do": "among the originals"}


def frontier_figure(points: Sequence[Judged], *, trained: bool) -> Figure:
    """AUROC over the strongest attacker's success, one series a method; nearer to the upper left is better."""
    series = []
    for method in dict.fromkeys(each.point.method for each in points):
        own = sorted((each for each in points if each.point.method == method), key=lambda each: each.risk.value)
        useful = [each.trained if trained else each.clean for each in own]
        series.append(
            Series(
                "as they are" if method == NOTHING else method,
                tuple(each.risk.value for each in own),
                tuple(each.value for each in useful),
                tuple(each.low for each in useful),
                tuple(each.high for each in useful),
            )
        )
    how = "learned from defended films, tried on real ones" if trained else "learned from real films, tried on defended"
    return Figure(
        f"Risk and utility: a classifier that {how}",
        "interval",
        "precision@1 of the strongest attacker",
        "macro AUROC",
        tuple(series),
        note="Each point is one setting of a method: further left fewer are recognised, further up more is kept.",
    )


def frontier_table(points: Sequence[Judged]) -> Table:
    """One row a setting, the strongest attacker and both AUROCs."""
    rows = [
        (
            each.point.name,
            "–" if each.point.bits is None else f"{each.point.bits:g}",
            f"{_told(each.risk)} ({each.by})",
            _told(each.trained),
            _share(each.trained_kept),
            _told(each.clean),
            _share(each.clean_kept),
        )
        for each in points
    ]
    columns = (
        *("setting", "bits a film", "strongest attacker, precision@1"),
        *("AUROC, learned from defended", "kept of what is above chance", "AUROC, tried on defended", "kept"),
    )
    return Table(
        "Every setting (percent, by patient: precision@1 with 95 % bounds, the rest with intervals)",
        columns,
        tuple(rows),
    )


def attackers_table(points: Sequence[Judged], *, seed: int) -> Table:
    """Frozen and learning attackers side by side: a frozen one is no evidence."""
    present = [
        name for name in ATTACKERS if all((name, mode) in each.point.attacked.hits for each in points for mode in MODES)
    ]
    rows = []
    for each in points:
        found = (each.point.attacked.estimate(name, mode, seed=seed) for name in present for mode in MODES)
        rows.append((each.point.name, *(f"{_told(one)}" for one in found)))
    columns = ("setting", *(f"{name}, {_MODES[mode]}" for name in present for mode in MODES))
    return Table("Precision@1 by attacker (percent, with 95 % bounds by patient)", columns, tuple(rows))


def published_table(points: Sequence[Judged], *, seed: int) -> Table:
    """As published work counts: rank 1 among all originals, the film's own too (CMC-R1), and how many films are as
    alike to their own original as one in a thousand pairs of strangers (ID-R)."""
    present = [name for name in ATTACKERS if all(name in each.point.attacked.cmc for each in points)]
    rows = []
    for each in points:
        attacked = each.point.attacked
        counted = (kind[name] for name in present for kind in (attacked.cmc, attacked.own))
        rows.append((each.point.name, *(_told(attacked.mean(one, seed=seed, searched=False)) for one in counted)))
    columns = ("setting", *(f"{name}, {kind}" for name in present for kind in ("CMC-R1", "ID-R")))
    return Table("CMC-R1 and ID-R by attacker (percent, with 95 % bounds by patient)", columns, tuple(rows))


def compared_table(points: Sequence[Judged], name: str) -> Table:
    """What the setting of that name is ahead of every other, in AUROC and on the same patients; and both risks."""
    ours = next(each for each in points if each.point.name == name)
    rows = [
        (
            each.point.name,
            f"{100 * each.risk.high:.1f}",
            _ahead(ours.trained.minus(each.trained)),
            _ahead(ours.clean.minus(each.clean)),
        )
        for each in points
        if each is not ours
    ]
    columns = ("setting", "strongest attacker, upper end", "ahead, learned from defended", "ahead, tried on defended")
    risk = f"{100 * ours.risk.high:.1f}"
    return Table(f"{name} (upper end {risk}) against every other setting (points of AUROC)", columns, tuple(rows))


def as_rows(points: Sequence[Judged], *, seed: int) -> list[dict[str, object]]:
    """Every estimate as a row."""
    rows: list[dict[str, object]] = []
    for each in points:
        attacked = each.point.attacked
        measures: dict[str, Estimate | None] = {"strongest precision@1": each.risk}
        for name, mode in attacked.hits:
            measures[f"{name} {mode} precision@1"] = attacked.estimate(name, mode, seed=seed)
        for name in attacked.cmc:
            measures[f"{name} CMC-R1"] = attacked.mean(attacked.cmc[name], seed=seed, searched=False)
            measures[f"{name} ID-R"] = attacked.mean(attacked.own[name], seed=seed, searched=False)
        measures |= {"AUROC learned from defended": each.trained, "AUROC tried on defended": each.clean}
        measures |= {"kept, learned from defended": each.trained_kept, "kept, tried on defended": each.clean_kept}
        for measure, one in measures.items():
            if one is not None:
                numbers = (one.value, one.low, one.high, one.chance, one.n, one.units)
                told = (each.point.method, each.point.level, each.point.bits, measure, *numbers)
                rows.append(dict(zip(COLUMNS, told, strict=True)))
    return rows


def as_csv(rows: Sequence[dict[str, object]]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def as_markdown(table: Table) -> str:
    """For the pages of documentation."""
    lines = ["| " + " | ".join(table.columns) + " |", "|" + "---|" * len(table.columns)]
    lines += ["| " + " | ".join("–" if cell is None else str(cell) for cell in row) + " |" for row in table.rows]
    return "\n".join(lines)


def _told(one: Estimate) -> str:
    return f"{100 * one.value:.1f} ({100 * one.low:.1f} to {100 * one.high:.1f})"


def _ahead(one: Estimate) -> str:
    return f"{100 * one.value:+.1f} ({100 * one.low:+.1f} to {100 * one.high:+.1f})"


def _share(one: Estimate | None) -> str:
    return "–" if one is None else f"{100 * one.value:.0f} ({100 * one.low:.0f} to {100 * one.high:.0f})"
