"""The release report of a protected model: what is promised, what still links, what it costs, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from medveil.defenses.alignment.settings import VARIANTS
from medveil.finding import ONE_IN_ELEVEN, Finding, Threshold, Verdict, percent
from medveil.release.attack_report import Input, how_to_repeat
from medveil.release.protect.findings import GLOSSARY, MetricKeys
from medveil.release.protect.frontier import FrontierResult
from medveil.release.protect.measurement import adversary_access
from medveil.release.protect.operating_point import OperatingPoint
from medveil.report import write_report
from medveil.report.content import Comparison, Gap, Removal, ReportContent
from medveil.stats.estimate import Estimate

# who knows all patients but one could try who fits a digest of them all
WITHHELD = "withheld: a digest of the training data would tell who took part"
SECRET = ("seed",)  # of the noise: who knows it can take the noise off
STRONGEST = "Recall@1 after the strongest refit"
STRONG_EPSILON = 1.0
DROWNED = 3.0  # noise over what pairs can add: from here on, heads move by chance
EPSILON_SOURCE = "tier 1 of Ponomareva et al., How to DP-fy ML, 2023"


def report_model(
    result: FrontierResult,
    protected: Input,
    out: Path,
    *,
    encoder: str,
    command: str,
    seed: int,
    settings: dict[str, Any],
    threshold: Threshold | None = None,
    under_two_ids: int = 0,
) -> tuple[Verdict, Path]:
    """Write report.html and report.json into `out`. One setting is judged; of several, none is chosen.

    `under_two_ids` counts the images trained on that stand under more than one patient.
    """
    before, *others = result.points
    chosen = others[0] if len(others) == 1 else None
    judged = () if chosen is None else _attacks(before, chosen, result, threshold or ONE_IN_ELEVEN)
    content = ReportContent(
        subject=replace(protected.subject, name=f"The heads of {encoder}, on {protected.subject.name}", kind="model"),
        removals=() if chosen is None else (_removal(chosen),),
        comparisons=(*judged, Comparison(None, result.finding)),
        gaps=(*_gaps(chosen, result), *_twice(under_two_ids), *_raised(threshold)),
        provenance=how_to_repeat(command, seed, settings, input_sha256=WITHHELD, secret=SECRET),
    )
    return content.verdict, write_report(content, out)


def summary(result: FrontierResult) -> str:
    """What one setting did, in a sentence or two; of several, what the comparison says."""
    if len(result.points) != 2:
        return result.finding.answer
    keys, (before, after) = MetricKeys.of(result.points), (point.estimates for point in result.points)
    earlier, linked = before[keys.linkage], after[keys.linkage]
    change = after["macro AUROC"].minus(before["macro AUROC"])
    told = (
        f"Among {_candidates(keys)}, {percent(linked.value)} of images lead to their own, {percent(linked.chance)} by "
        f"chance and {percent(earlier.value)} before; macro AUROC changes by {100 * change.value:+.1f} points."
    )
    if keys.refit is None:
        return told
    refit = _refit(result.points[1], result, keys, ONE_IN_ELEVEN).estimate
    return f"{told} An adversary who refits with {keys.own:,} pairs of their own links {percent(refit.value)}."


def _removal(point: OperatingPoint) -> Removal:
    record = point.record or {}
    done = {"pairs to train on": record["pairs"], "parameters in the two heads": record["parameters"]}
    if "steps" in record:
        done["steps of training"] = record["steps"]
    title = next((told for variant, told in VARIANTS.items() if variant == point.variant), point.name)
    return Removal("alignment", f"The two heads of the model: {title}", done, point.guarantee)


def _attacks(
    before: OperatingPoint, after: OperatingPoint, result: FrontierResult, threshold: Threshold
) -> Iterator[Comparison]:
    keys = MetricKeys.of(result.points)
    yield _compared(_linkage(before, keys, threshold), _linkage(after, keys, threshold))
    if keys.refit is not None:
        yield _compared(*(_refit(point, result, keys, threshold) for point in (before, after)))


def _compared(before: Finding, after: Finding) -> Comparison:
    return Comparison(before, after, after.estimate.minus(before.estimate))


def _linkage(point: OperatingPoint, keys: MetricKeys, threshold: Threshold) -> Finding:
    found = point.estimates[keys.linkage]
    headline = f"Recall@1 in pools of {keys.pool}"
    return Finding(
        part="linkage",
        kind="attack",
        question="Does the model still link an X-ray to its own report?",
        answer=f"Among {_candidates(keys)} the right one came first in {percent(found.value)} of {found.n:,} tries; "
        f"blind guessing succeeds in {percent(found.chance)}.",
        headline=headline,
        estimates={headline: found, "Recall@1 in pools of all": point.estimates["random all Recall@1"]},
        threshold=threshold,
        method="Test images and reports through the frozen encoders and the heads; reports ranked by cosine similarity "
        "to the image; pools averaged exactly over all draws, ties in random order.",
        limits=("A stronger model, or one trained on data like these, would link more.",),
        glossary=GLOSSARY,
    )


def _refit(point: OperatingPoint, result: FrontierResult, keys: MetricKeys, threshold: Threshold) -> Finding:
    """By the one of two adversaries who does better: with the embeddings alone, or with the frozen encoders too."""
    assert keys.refit is not None
    views: dict[str, Estimate] = {"from embeddings": point.estimates[keys.refit]}
    for seen in result.features:
        if seen.own == keys.own:
            views["from frozen features"] = seen.recall[keys.pool]
    strongest = max(views, key=lambda view: views[view].high)
    found = views[strongest]
    return Finding(
        part="refit",
        kind="attack",
        question="Does an adversary with pairs of their own find the link again?",
        answer=f"With {keys.own:,} pairs of their own and new heads, {strongest}, the right report came first among "
        f"{_candidates(keys)} in {percent(found.value)} of {found.n:,} tries; blind guessing succeeds in "
        f"{percent(found.chance)}.",
        headline=STRONGEST,
        estimates={STRONGEST: found, **views},
        threshold=threshold,
        method="The adversary fits linear heads on pairs that are not measured on, keeps what links a fifth of their "
        f"patients best, and links the test pairs. From embeddings: {adversary_access('embeddings')}. From frozen "
        f"features: {adversary_access('features')}.",
        limits=("Adversaries refit linear heads; a stronger one may find more.",),
        glossary=GLOSSARY | {STRONGEST: "Recall@1 of the adversary, of two, who does better."},
    )


def _candidates(keys: MetricKeys) -> str:
    return "all test reports" if keys.pool == "all" else f"{keys.pool} reports"


def _weak_points(point: OperatingPoint) -> Iterator[Gap]:
    """Of a formal guarantee: too large an epsilon, or nobody who tried to refute it."""
    record, claimed = point.record or {}, point.epsilon
    assert claimed is not None
    stated = max(record["stated_epsilon_of_patient"], *(record["budget"] or [0.0])[:1])
    if stated > STRONG_EPSILON:
        yield Gap(
            "Epsilon",
            f"a patient's is {stated:.3g}, with the audit and whatever else is in the ledger; above {STRONG_EPSILON:g}"
            f" a guarantee is not taken for strong ({EPSILON_SOURCE}).",
            blocking=True,
        )
    if (
        record["settings"]["unit"] == "pair"
        and record["budget"]
        and record["budget"][0] > 1.001 * record["stated_epsilon"]
    ):
        yield Gap(
            "Epsilon",
            "the ledger adds up other runs by pair; what they cost a patient together is not known; train by patient.",
            blocking=True,
        )
    if record["settings"]["seed"] == "given":
        yield Gap(
            "The seed",
            "that of the noise was given by hand, and whoever knows it can take the noise off; leave --seed out.",
            blocking=True,
        )
    if point.audit is None:
        yield Gap("The guarantee", "it was not audited: no canaries were planted.", blocking=True)
    elif not point.audit.could_refute(claimed):
        yield Gap(
            "The guarantee",
            f"its audit could not have refuted it: with {point.audit.canaries:,} canaries it could have proved"
            f" ε = {point.audit.most:.3g} at most, and {claimed:.3g} is claimed; plant more.",
            blocking=True,
        )


def nothing_learned(point: OperatingPoint) -> str | None:
    """Why private training has no effect, where its noise is far longer than all that pairs can add in all steps.

    Clipped gradients add up by their number at most, all in one direction; noise, by its root, in every parameter.
    """
    record = point.record or {}
    if "noise_multiplier" not in record:
        return None
    settings, steps = record["settings"], record["steps"]
    expected = record["sampling"] * record["units"]
    clipped = max(1, round(settings["batch"] / settings["group_size"])) if point.variant == "dp-groups" else expected
    added = steps * clipped * settings["clip"]
    noise = math.sqrt(steps * record["parameters"]) * record["noise_multiplier"] * record["sensitivity"]
    if noise < DROWNED * added:
        return None
    return (
        f"with {record['units']:,} {settings['unit']}s and ε = {point.epsilon:.3g}, the noise of {steps:,} steps is"
        f" {noise / added:,.1f} times as long as all that their pairs can add: nearly all that moves the heads is"
        " chance, and no effect on the link can be expected; give more patients or a larger epsilon, or try the variant"
        " findings, which promises nothing."
    )


def _raised(threshold: Threshold | None) -> Iterator[Gap]:
    if threshold is not None and threshold.value > ONE_IN_ELEVEN.value:
        yield Gap(
            "Threshold",
            f"up to {percent(threshold.value)} of images linked was accepted by whoever ran this, above the "
            f"{percent(ONE_IN_ELEVEN.value)} in common use: a person has to answer for that.",
            blocking=True,
        )


def _twice(images: int) -> Iterator[Gap]:
    if images:
        yield Gap(
            "People",
            f"{images:,} of the images trained on stand under more than one patient; a guarantee holds for an id, not"
            " for whoever has two; put them right and train again.",
            blocking=True,
        )


def _gaps(chosen: OperatingPoint | None, result: FrontierResult) -> Iterator[Gap]:
    if chosen is None:
        yield Gap("The choice", "settings were compared and none was chosen; run one of them alone.", blocking=True)
    elif chosen.refuted is not None:
        yield Gap(
            "The guarantee",
            f"an audit refuted it: ε = {chosen.epsilon:.3g} was claimed, at least {chosen.refuted:.3g} was proved.",
            blocking=True,
        )
    elif chosen.guarantee.kind != "formal":
        yield Gap(
            "Membership", "who took part in training the heads was not measured, nor is it bounded.", blocking=True
        )
    else:
        yield from _weak_points(chosen)
    why = None if chosen is None else nothing_learned(chosen)
    if why is not None:
        yield Gap("The effect", why, blocking=False)
    if not result.features:
        yield Gap("Refit", "the data set has too few pairs for an adversary who refits the heads.", blocking=True)
    yield Gap(
        "The figures of this report",
        "they were computed from the pairs without noise; an epsilon is about the heads, not about this page.",
        blocking=False,
    )
    yield Gap("The frozen encoders", "what they remember of their own training was not measured.", blocking=False)
