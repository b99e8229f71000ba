"""The numbers of a frontier: tables as published, one of all settings, and everything as rows for a CSV file."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence

from medveil.defenses.alignment.guarantee import at_most
from medveil.finding import Table
from medveil.release.protect.dominance import Standing, removed
from medveil.release.protect.operating_point import OperatingPoint
from medveil.stats.estimate import Estimate
from medveil.stats.paired import Change, Correction, changes
from medveil.stats.pools import METRICS
from medveil.stats.privacy_audit import PrivacyAudit
from medveil.utility.linear_probe import MEASURES

CHANGED = ("change", "interval of the change", "p")

CSV_COLUMNS = (
    "setting",
    "variant",
    "epsilon",
    "guarantee",
    "cohort",
    "measure",
    "value",
    "sd",
    "low",
    "high",
    "chance",
    "n",
    "units",
    "unit",
)


def settings_table(
    points: Sequence[OperatingPoint], pool: str, own: int | None, stands: dict[str, Sequence[Standing]]
) -> Table:
    """One row a setting: what it claims, what an attacker still links, what it costs, and whether another is better."""
    before = points[0].estimates
    recall, everyone, matched = f"random {pool} Recall@1", "random all Recall@1", f"matched {pool} Recall@1"
    rows = []
    for at, point in enumerate(points):
        found = point.estimates
        delta = found["macro AUROC"].minus(before["macro AUROC"])
        row: list[str | float | int | None] = [
            point.name,
            _claim(point),
            told(found[recall]),
            told(removed(before[recall], found[recall]), digits=0) if at else "–",
            told(found[everyone]),
            told(found[matched]) if matched in found else "–",
        ]
        if own is not None:
            row.append(told(found[f"refit {own} pool {pool}"]))
        row += [told(found["macro AUROC"]), told(delta) if at else "–"]
        row += [_stand_told(stand[at]) for stand in stands.values()]
        rows.append(tuple(row))
    columns = [
        "setting",
        "claim",
        f"Recall@1 of {pool}",
        "link removed",
        "Recall@1 of all",
        f"Recall@1 of {pool} matched",
    ]
    columns += [] if own is None else [f"Recall@1 of {pool} after a refit with {own:,} pairs"]
    columns += ["macro AUROC", "change", *stands]
    return Table(
        "All settings (percent, with 95 % bounds of Recall@1 and intervals of the rest)", tuple(columns), tuple(rows)
    )


def linkage_table(points: Sequence[OperatingPoint], cohort: str | None = None) -> Table:
    """Linkage after every defense, by kind and size of pool (the published Table 3)."""
    prefix = f"{cohort}: " if cohort else ""
    rows = []
    for point in points:
        found = point.estimates
        pools = [name[len(prefix) : -len(" Recall@1")] for name in found if _is_recall(name, prefix)]
        for pool in pools:
            kind, size = pool.split(" ")
            rows.append(
                (point.name, kind, size, *(with_sd(found[f"{prefix}{pool} {metric}"], digits=3) for metric in METRICS))
            )
    title = "Linkage after each defense" + (f", heads applied unchanged to {cohort}" if cohort else "")
    columns = ("setting", "pool", "N", *METRICS)
    return Table(f"{title} (percent, with standard deviation and 95 % bounds)", columns, tuple(rows))


def utility_table(before: OperatingPoint, after: OperatingPoint, *, correction: Correction = "none") -> Table:
    """Image-side utility before and after, paired (the published Table 4)."""
    found = changes(before.measured.utility, after.measured.utility, correction=correction)
    rows = tuple(
        (name, *_changed(change))
        for name, change in found.items()
        if name.startswith("macro") or name.endswith("AUROC")
    )
    corrected = ", p corrected by Holm" if correction == "holm" else ""
    return Table(
        f"Image-side utility, {before.name} and {after.name} (percent, with standard deviation and 95 % intervals"
        f"{corrected})",
        ("measure", before.name, after.name, *CHANGED),
        rows,
    )


def finding_table(before: OperatingPoint, after: OperatingPoint) -> Table:
    """All measures of every finding before and after, paired (the published Supplementary Table 3)."""
    found = changes(before.measured.utility, after.measured.utility)
    labels = dict.fromkeys(name.rpartition(" ")[0] for name in found)
    rows = tuple(
        (label, measure, *_changed(found[f"{label} {measure}"]))
        for label in sorted(labels, key=lambda label: label == "macro")  # the mean comes last
        for measure in MEASURES
    )
    return Table(
        f"Image-side utility by finding, {before.name} and {after.name} (percent, with standard deviation and 95 % "
        "intervals)",
        ("finding", "measure", before.name, after.name, *CHANGED),
        rows,
    )


def _changed(change: Change) -> tuple[str, ...]:
    return (
        with_sd(change.before),
        with_sd(change.after),
        f"{change.delta.value * 100:+.2f}",
        f"[{100 * change.delta.low:.2f}, {100 * change.delta.high:.2f}]",
        f"{change.p:.3f}",
    )


def refit_table(points: Sequence[OperatingPoint], pool: str, features: Sequence[tuple[int, Estimate]]) -> Table:
    """Recall@1 after a refit, by the number of the adversary's own pairs."""
    sizes = sorted({p.own for point in points for p in point.measured.refit} | {own for own, _ in features})
    rows = []
    for point in points:
        by_size = {p.own: p.recall[pool] for p in point.measured.refit}
        rows.append((point.name, *(told(by_size[own]) if own in by_size else "–" for own in sizes)))
    if features:
        by_size = dict(features)
        told_features = (told(by_size[own]) if own in by_size else "–" for own in sizes)
        rows.append(("frozen features, any defense of the heads", *told_features))
    columns = ("what the adversary sees", *(f"{own:,} own pairs" if own else "no refit" for own in sizes))
    return Table(f"Recall@1 of {pool} after a refit (percent, with 95 % bounds)", columns, tuple(rows))


def audit_table(points: Sequence[OperatingPoint]) -> Table | None:
    """What is claimed and what audits proved, side by side."""
    columns = (
        "setting",
        "claim",
        "right guesses, canaries",
        "ε at least",
        "the most it could have proved",
        "right guesses, worst data",
        "ε at least there",
        "the most it could have proved there",
    )
    audited = [point for point in points if point.audit is not None or point.worst_case is not None]
    rows = tuple((point.name, _claim(point), *_proved(point.audit), *_proved(point.worst_case)) for point in audited)
    return Table("Audit of the guarantee (lower bounds on ε, each 95 % sure)", columns, rows) if rows else None


def _proved(audit: PrivacyAudit | None) -> tuple[str, str, str]:
    if audit is None:
        return "–", "–", "–"
    return f"{audit.correct} of {audit.guesses}", f"{audit.lower:.2f}", f"{audit.most:.2f}"


def csv_rows(points: Sequence[OperatingPoint]) -> str:
    """Every estimate of every setting, one a line."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for point in points:
        for name, found in point.estimates.items():
            cohort, _, measure = name.rpartition(": ")
            writer.writerow(
                (
                    *(point.name, point.variant, point.epsilon, point.guarantee.kind, cohort, measure),
                    *(found.value, found.sd, found.low, found.high, found.chance, found.n, found.units, found.unit),
                )
            )
    return file.getvalue()


def told(estimate: Estimate, *, digits: int = 2) -> str:
    """In percent, with its interval, where there is one."""
    if not math.isfinite(estimate.low):
        return "–"
    value, low, high = (f"{100 * number:.{digits}f}" for number in (estimate.value, estimate.low, estimate.high))
    return f"{value} [{low}, {high}]"


def with_sd(estimate: Estimate, *, digits: int = 2) -> str:
    """In percent, with standard deviation and interval, as the literature has it."""
    if not math.isfinite(estimate.low):
        return "–"
    value, sd, low, high = (
        f"{100 * number:.{digits}f}" for number in (estimate.value, estimate.sd, estimate.low, estimate.high)
    )
    return f"{value}\u00a0±\u00a0{sd} [{low}, {high}]"


def _claim(point: OperatingPoint) -> str:
    if point.epsilon is None:
        return "none"
    told, stated = f"ε = {point.epsilon:.3g}", (point.record or {}).get("stated_epsilon", point.epsilon)
    if point.guarantee.kind != "formal":
        nominal = ", nominal" if point.variant == "dp-nominal" else ""
        return f"{told}{nominal}: no guarantee" + ("" if point.refuted is None else ", refuted")
    return told if stated == point.epsilon else f"{told}, with its audit {at_most(stated)}"


def _stand_told(stand: Standing) -> str:
    return stand.standing if stand.by is None else f"{stand.standing} by {stand.by}"


def _is_recall(name: str, prefix: str) -> bool:
    inner = name[len(prefix) :]
    return name.startswith(prefix) and inner.endswith(" Recall@1") and inner.startswith(("random ", "matched "))


def all_tables(tables: Iterable[Table | None]) -> tuple[Table, ...]:
    return tuple(table for table in tables if table is not None)
