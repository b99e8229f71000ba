"""The page of results of alignment_indiana.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from medveil.finding import Table
from medveil.release.protect.findings import Effect, Goal, MetricKeys
from medveil.release.protect.frontier import FrontierResult
from medveil.release.protect.tables import told
from medveil.runtime.storage import write_bytes

INTRODUCTION = """# Weakening the link: results on real pairs

What each defense of the alignment does on X-rays of Indiana University and their reports: to linkage, to an adversary
who refits, and to the diagnosis. Made by `benchmarks/alignment_indiana.py`. The encoder is the small one of the
[linkage results](linkage-results.md) whose ends (`{model}`) were trained on Indiana's train part; it is frozen but for
the heads, which are the last linear layer of either side ({parameters:,} parameters). Heads and probe were trained on
{train:,} pairs; {aside:,} pairs of patients the encoder had not seen chose the probe's penalty; everything was measured
on {test:,} pairs of {patients:,} other patients, who chose nothing. Negatives of the private training are {public}
X-rays of NIH ChestX-ray14 and as many phantom reports. In brackets: 95 % bounds of shares and intervals of everything
else, from 1,000 redraws by patient, the same for all settings, so that changes are paired. Pairs with word for word the
same report do not compete.

*findings*: the image embeddings reduced to the directions a linear probe reads the findings from.
"""
LIMITS = """## What this does not say

- The cohort is small: {patients} patients, and only {labels} of the 14 findings occur in ten of them or more. A change
  of macro AUROC has an interval of about ±{width:.1f} points, so whether a setting costs less than half a point cannot
  be decided here; the same holds for most differences between settings.
- The best of {tried} settings is picked after all were measured on the same patients, so its numbers flatter it.
- The private settings train for {steps} steps on {train:,} pairs. The published ε = 0.34 was reached with 153,255
  pairs, where far less noise is needed for the same promise.
- A guarantee is about the pairs the heads were trained on, and says nothing about linkage of other pairs; this page
  measures other pairs.
- Adversaries refit linear heads. A stronger one may find more.
"""


def write_page(
    results: Mapping[str, FrontierResult], owners: Mapping[str, str], page: Path, *, model: str, public: int, aside: int
) -> None:
    """All of it from the results; a second run writes the same."""
    unseen = results["aside"]
    about = unseen.points[1].record or {}
    recall = unseen.points[0].estimates["random 100 Recall@1"]
    facts = {
        "model": model,
        "public": public,
        "parameters": about["parameters"],
        "train": about["pairs"],
        "aside": aside,
        "test": recall.n,
        "patients": recall.units,
    }
    changes = [effect.change for effect in unseen.effects if effect.point.variant.startswith("dp")]
    labels = sum(name.endswith(" AUROC") for name in unseen.points[0].measured.utility) - 1
    width = 100 * float(np.median([(change.high - change.low) / 2 for change in changes]))
    steps = next(point.record["steps"] for point in unseen.points if point.variant == "dp" and point.record)
    parts = [
        INTRODUCTION.format(**facts),
        "## What was found\n",
        *(f"- {line}" for line in _found(results, owners)),
        "",
        *_tables(results, owners),
        LIMITS.format(**facts, labels=labels, width=width, steps=steps, tried=len(unseen.effects)),
    ]
    write_bytes(page, "\n".join(parts).encode())


def _found(results: Mapping[str, FrontierResult], owners: Mapping[str, str]) -> Iterator[str]:
    unseen, goal = results["aside"], Goal()
    before = unseen.points[0].estimates
    yield (
        f"As it is, the encoder links {told(before['random 100 Recall@1'])} % of images at the first try in pools of "
        f"100 (chance 1 %), {told(before['random all Recall@1'])} % among all, "
        f"{told(before['matched 100 Recall@1'])} % in pools of the same findings, and its embeddings reach a macro "
        f"AUROC of {told(before['macro AUROC'])} %."
    )
    met = [effect for effect in unseen.effects if effect.meets(goal)]
    yield (
        f"**The goal**, at least 60 % of the excess over chance removed for at most 0.5 points of macro AUROC, is met "
        f"on the face of it by {_names(met)}."
    )
    for owner, result in results.items():
        keys = MetricKeys.of(result.points)
        held = [effect for effect in result.effects if effect.meets(goal, after_refit=True)]
        yield (
            f"Against an adversary who refits with {keys.own:,} {owners[owner]}, it is met by {_names(held)}. The "
            f"heads as they are then link {told(result.points[0].estimates[keys.refit or ''])} %."
        )
    sure = [e for e in unseen.effects if e.removed.low >= goal.removed and e.change.low >= -goal.loss]
    yield f"With the whole interval of both numbers inside the goal, before any refit: {_names(sure)}."
    for owner, result in results.items():
        seen = result.features[-1]
        yield (
            f"An adversary who has the frozen encoders too and {seen.own:,} {owners[owner]} links "
            f"{told(seen.recall['100'])} % whatever the heads do."
        )
    yield from _came_back(results, owners)
    yield from _proved(unseen)


def _came_back(results: Mapping[str, FrontierResult], owners: Mapping[str, str]) -> Iterator[str]:
    """What refits undo, of the settings that removed half of the excess or more."""
    plain = next(effect for effect in results["aside"].effects if effect.point.variant == "plain")
    yield (
        f"The training of dp without any noise (plain) removes {told(plain.removed, digits=0)} % by itself, so what dp "
        "removes need not be owed to its noise: its loss against public pairs is another one."
    )
    for effect in results["aside"].effects:
        if effect.removed.value < 0.5:
            continue
        again = []
        for owner, result in results.items():
            left = next(e.removed_after_refit for e in result.effects if e.point.name == effect.point.name)
            assert left is not None
            again.append(f"{100 * left.value:.0f} % against {MetricKeys.of(result.points).own:,} {owners[owner]}")
        yield f"{effect.point.name} removes {100 * effect.removed.value:.0f} % at first sight, {', '.join(again)}."


def _proved(result: FrontierResult) -> Iterator[str]:
    sound = [point for point in result.points if point.guarantee.kind == "formal"]
    audits = [audit for point in sound for audit in (point.audit, point.worst_case) if audit is not None]
    broken = [point for point in sound if point.refuted is not None]
    yield (
        f"Audits of the {len(sound)} settings with a guarantee prove an ε of "
        f"{max(audit.lower for audit in audits):.2f} at most and refute "
        f"{'none of the claims' if not broken else ', '.join(point.name for point in broken)}; the most they could "
        f"have proved is {max(audit.most for audit in audits):.2f}."
    )
    for point in result.points:
        if point.variant == "dp-nominal" and point.worst_case is not None and point.epsilon is not None:
            verdict = "refuted" if point.refuted is not None else "not refuted"
            yield (
                f"{point.name}: an accountant prints ε = {point.epsilon:.2f}; one step on the worst data proves at "
                f"least {point.worst_case.lower:.2f}, canaries among these pairs {_lower(point)}: {verdict}."
            )


def _lower(point: object) -> str:
    audit = getattr(point, "audit", None)
    return "–" if audit is None else f"{audit.lower:.2f}"


def _names(found: list[Effect]) -> str:
    """With what each removes and costs."""
    if not found:
        return "no setting"
    return "; ".join(
        f"{effect.point.name} ({100 * effect.removed.value:.0f} % removed, {100 * effect.change.value:+.1f} points)"
        for effect in found
    )


def _tables(results: Mapping[str, FrontierResult], owners: Mapping[str, str]) -> Iterator[str]:
    for owner, result in results.items():
        for table in result.finding.tables:
            if owner == "aside" or "refit" in table.title:
                whose = f", adversary with {owners[owner]}" if "refit" in table.title else ""
                yield f"## {table.title}{whose}\n"
                yield from _markdown(table)
                yield ""


def _markdown(table: Table) -> Iterator[str]:
    yield "| " + " | ".join(table.columns) + " |"
    yield "|" + "---|" * len(table.columns)
    for row in table.rows:
        yield "| " + " | ".join("–" if cell is None else str(cell) for cell in row) + " |"
