"""What a frontier says, in words for a reader who has to choose: which setting, at what price, and what it is not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from medveil.attacks.linkage.settings import PAPER_POOLS
from medveil.attacks.refit.refitting import RefitPoint
from medveil.finding import Figure, Finding, Table, percent
from medveil.release.protect import figures, tables
from medveil.release.protect.dominance import Standing, removed, standings
from medveil.release.protect.measurement import adversary_access
from medveil.release.protect.operating_point import AS_IT_IS, AT_START, OperatingPoint
from medveil.stats.estimate import Estimate
from medveil.stats.paired import Correction

GLOSSARY = {
    "Recall@1": "The share of images whose own report comes first among the candidates of a pool.",
    "pool": "The candidates a report is picked from: the right one and others, random or with the same findings.",
    "link removed": "The share of Recall@1 above chance that a defense takes away.",
    "refit": "An adversary trains heads of their own on pairs of their own, and links again.",
    "dominated": "Another setting links no more and keeps no less; clearly, if it would on other patients too.",
    "macro AUROC": "The mean, over the findings, of the chance that an image with it is ranked above one without it.",
    "ε": "How much one person can change what is released; smaller is stricter. Only a formal one is a promise.",
}


RELEASED = (
    f'"{AS_IT_IS}" is what the released model puts out: the mean over the projected patches of an image. Heads are'
    " trained on one vector an image, the mean over the patches before they are projected, and have group norm in the"
    f' place of batch norm; "{AT_START}" is what they put out before any change. What lies between these two is owed to'
    " no defense."
)


@dataclass(frozen=True)
class Goal:
    """The least share of the link to remove, and the most macro AUROC to give for it."""

    removed: float = 0.6
    loss: float = 0.005


@dataclass(frozen=True)
class Effect:
    """What a setting does against the heads as they are: link removed (as it is, after a refit) and utility changed."""

    point: OperatingPoint
    removed: Estimate
    removed_after_refit: Estimate | None
    change: Estimate

    @property
    def least_removed(self) -> float:
        """What stays removed when the adversary does the better of the two."""
        refit = math.inf if self.removed_after_refit is None else self.removed_after_refit.value
        return min(self.removed.value, refit)

    def meets(self, goal: Goal, *, after_refit: bool = False) -> bool:
        share = self.least_removed if after_refit else self.removed.value
        return share >= goal.removed and self.change.value >= -goal.loss


@dataclass(frozen=True)
class MetricKeys:
    """Under which names the compared numbers stand: the pool that is judged, the adversary's largest number of own
    pairs, and the pool of the paper's operating point, 10,000 or the largest there is."""

    pool: str
    own: int | None
    operating: str

    @classmethod
    def of(cls, points: Sequence[OperatingPoint]) -> MetricKeys:
        pool = "100" if "random 100 Recall@1" in points[0].estimates else "all"
        sizes = [{p.own for p in point.measured.refit if p.own} for point in points]
        shared = set.intersection(*sizes) if sizes else set()
        sizes_tried = [str(size) for size in PAPER_POOLS if f"random {size} Recall@1" in points[0].estimates]
        return cls(pool, max(shared) if shared else None, [pool, *sizes_tried][-1])

    @staticmethod
    def elsewhere(points: Sequence[OperatingPoint], cohort: str) -> str:
        """The operating point in another cohort, which may be smaller."""
        found = points[0].measured.elsewhere[cohort]
        return ["all", *(str(size) for size in PAPER_POOLS if f"random {size} Recall@1" in found)][-1]

    @property
    def linkage(self) -> str:
        return f"random {self.pool} Recall@1"

    @property
    def refit(self) -> str | None:
        return None if self.own is None else f"refit {self.own} pool {self.pool}"


def effects(points: Sequence[OperatingPoint], keys: MetricKeys) -> list[Effect]:
    """Of every setting but the first, which is the heads as they are."""
    before = points[0].estimates
    found = []
    for point in points[1:]:
        after = point.estimates
        refit = None if keys.refit is None else removed(before[keys.refit], after[keys.refit])
        change = after["macro AUROC"].minus(before["macro AUROC"])
        found.append(Effect(point, removed(before[keys.linkage], after[keys.linkage]), refit, change))
    return found


def with_start(points: Sequence[OperatingPoint], start: OperatingPoint | None) -> list[OperatingPoint]:
    """The model as it is, the heads that training starts from where they are something else, and all settings."""
    return list(points) if start is None else [points[0], start, *points[1:]]


def standings_of(points: Sequence[OperatingPoint], keys: MetricKeys) -> dict[str, list[Standing]]:
    """How the settings stand against linkage as it is and, where it was tried, after a refit."""
    names = [point.name for point in points]
    utility = [point.estimates["macro AUROC"] for point in points]
    found = {"standing": standings(names, [point.estimates[keys.linkage] for point in points], utility)}
    if keys.refit is not None:
        found["standing after a refit"] = standings(names, [p.estimates[keys.refit] for p in points], utility)
    return found


def best_effect(found: Sequence[Effect], goal: Goal) -> Effect | None:
    """The setting that removes most, also after a refit, among those that remove any and cost no more than the goal
    allows."""
    cheap = [
        effect
        for effect in found
        if effect.change.value >= -goal.loss and effect.removed.value > 0 and math.isfinite(effect.least_removed)
    ]
    return max(cheap, key=lambda effect: effect.least_removed, default=None)


def frontier_finding(
    points: Sequence[OperatingPoint],
    features: Sequence[RefitPoint],
    *,
    start: OperatingPoint | None = None,
    goal: Goal,
    correction: Correction = "none",
    method: str,
) -> Finding:
    """The finding of a frontier: the chosen setting's numbers, all figures and tables."""
    keys = MetricKeys.of(points)
    told = with_start(points, start)
    found, stands = effects(points, keys), standings_of(told, keys)
    best = best_effect(found, goal)
    shown = points[0] if best is None else best.point
    compared = _compared(found, best)
    recall = shown.estimates[keys.linkage]
    estimates = {f"Recall@1 in pools of {keys.pool}": recall, "macro AUROC": shown.estimates["macro AUROC"]}
    if best is not None:
        estimates |= {"link removed": best.removed, "change of macro AUROC": best.change}
    if keys.refit is not None:
        estimates[f"Recall@1 after a refit with {keys.own} own pairs"] = shown.estimates[keys.refit]
    estimates |= _lost(points[0], compared, keys)
    seen = [(point.own, point.recall[keys.pool]) for point in features]
    cohorts = list(points[0].measured.elsewhere)
    drawn = _one_each(told, shown)
    return Finding(
        part="alignment",
        kind="measure",
        question="Can the link between image and report be weakened without losing the diagnosis?",
        answer=_answer(points, found, best, keys, goal, seen),
        headline=f"Recall@1 in pools of {keys.pool}",
        estimates=estimates,
        method=method,
        limits=_limits(told, seen),
        figures=(
            figures.frontier_figure(told, keys.linkage, "Linkage against utility"),
            *(
                (figures.frontier_figure(told, keys.refit, "Linkage after a refit against utility"),)
                if keys.refit
                else ()
            ),
            *((figures.refit_figure(drawn, keys.pool, seen),) if keys.refit else ()),
            figures.pool_figure(drawn, "Recall@1"),
            figures.pool_figure(drawn, "MRR"),
            figures.relative_figure(drawn),
            figures.fold_figure(drawn, keys.operating),
            *_some(figures.matched_change_figure(drawn, keys.operating, cohorts)),
            figures.remaining_figure(drawn, keys.operating),
            *figures.change_figures(points[0], compared),
            *(figure for name in cohorts for figure in _elsewhere_figures(drawn, name)),
        ),
        tables=_tables(told, compared, keys, stands, seen, cohorts, correction),
        glossary=GLOSSARY,
    )


def _one_each(points: Sequence[OperatingPoint], shown: OperatingPoint) -> list[OperatingPoint]:
    """The first setting of every variant, or the chosen one: as many lines as a figure can hold."""
    chosen = {point.variant: point for point in reversed(points)} | {shown.variant: shown}
    return [point for point in points if chosen[point.variant] is point]


def _compared(found: Sequence[Effect], best: Effect | None) -> OperatingPoint:
    """Whose utility is told finding by finding: the setting that is shown, or else the one that removes most, whatever
    it costs."""
    if best is not None:
        return best.point
    return max(
        found, key=lambda effect: effect.removed.value if math.isfinite(effect.removed.value) else -math.inf
    ).point


def _lost(before: OperatingPoint, after: OperatingPoint, keys: MetricKeys) -> dict[str, Estimate]:
    """What is lost of Recall@1 at the paper's operating point, in random and in matched pools, here and elsewhere."""
    found = {}
    for prefix in ("", *(f"{cohort}: " for cohort in before.measured.elsewhere)):
        for kind, words in (("random", "pools"), ("matched", "pathology-matched pools")):
            name = f"{prefix}{kind} {keys.operating} Recall@1"
            if name in before.estimates:
                change = figures.relative_change(before.estimates[name], after.estimates[name])
                found[f"{prefix}change of Recall@1 in {words} of {keys.operating}, {after.name}"] = change
    return found


def _some(figure: Figure | None) -> tuple[Figure, ...]:
    return () if figure is None else (figure,)


def _elsewhere_figures(points: Sequence[OperatingPoint], cohort: str) -> tuple[Figure, ...]:
    pool = MetricKeys.elsewhere(points, cohort)
    return (
        figures.pool_figure(points, "Recall@1", cohort),
        figures.pool_figure(points, "MRR", cohort),
        figures.relative_figure(points, cohort),
        figures.fold_figure(points, pool, cohort),
    )


def _tables(
    points: Sequence[OperatingPoint],
    compared: OperatingPoint,
    keys: MetricKeys,
    stands: dict[str, list[Standing]],
    seen: Sequence[tuple[int, Estimate]],
    cohorts: Sequence[str],
    correction: Correction,
) -> tuple[Table, ...]:
    return tables.all_tables(
        [
            tables.settings_table(points, keys.pool, keys.own, dict(stands)),
            tables.refit_table(points, keys.pool, seen) if keys.refit else None,
            tables.audit_table(points),
            tables.linkage_table(points),
            *(tables.linkage_table(points, cohort) for cohort in cohorts),
            tables.utility_table(points[0], compared, correction=correction),
            tables.finding_table(points[0], compared),
        ]
    )


def _answer(
    points: Sequence[OperatingPoint],
    found: Sequence[Effect],
    best: Effect | None,
    keys: MetricKeys,
    goal: Goal,
    seen: Sequence[tuple[int, Estimate]],
) -> str:
    before = points[0].estimates[keys.linkage]
    if before.chance is not None and before.value <= before.chance:
        return (
            f"As it is, the model links {percent(before.value)} of images at the first try in pools of {keys.pool}, no "
            f"more than chance ({percent(before.chance)}): there is no link to remove."
        )
    if best is None:
        none = f"{found[0].point.name} does not weaken" if len(found) == 1 else f"None of {len(found)} settings weakens"
        return (
            f"{none} the link at a cost of at most {goal.loss * 100:g} points of macro AUROC. The heads as they are "
            f"link {percent(before.value)} of images at the first try in pools of {keys.pool}."
        )
    after = best.point.estimates[keys.linkage]
    which = best.point.name if len(found) == 1 else f"Of {len(found)} settings, {best.point.name} removes most and"
    told = (
        f"{which} costs at most {goal.loss * 100:g} AUROC points: in pools of {keys.pool}, Recall@1 goes from "
        f"{percent(before.value)} to {percent(after.value)} "
        f"(chance is {percent(after.chance)}), {_share(best.removed)} of the excess over chance gone, "
        f"and macro AUROC changes by {best.change.value * 100:+.2f} points."
    )
    if keys.refit is not None:
        again = best.point.estimates[keys.refit]
        told += f" An adversary who refits with {keys.own:,} pairs of their own links {percent(again.value)}."
    if seen:
        told += f" With the frozen encoders in hand it is {percent(seen[-1][1].value)}, whatever the heads do."
    met = best.meets(goal, after_refit=True)
    return told if met else f"{told} The goal of removing {goal.removed:.0%} is not reached against that adversary."


def _share(estimate: Estimate) -> str:
    return f"{estimate.value:.0%} (95 % interval {estimate.low:.0%} to {estimate.high:.0%})"


def _limits(points: Sequence[OperatingPoint], seen: Sequence[tuple[int, Estimate]]) -> tuple[str, ...]:
    told = ["A formal guarantee is about the pairs the heads were trained on; linkage is measured on other pairs."]
    if any(point.name == AT_START for point in points):
        told.append(RELEASED)
    if any(point.variant == "dp-nominal" for point in points):
        told.append("dp-nominal couples the pairs of a batch: its epsilon is a number, not a guarantee.")
    if any(point.measured.refit for point in points):
        told.append(f"The refit attack on embeddings: {adversary_access('embeddings')}.")
    if seen:
        told.append(f"The refit attack on features: {adversary_access('features')}.")
    told.append("Adversaries refit linear heads; a stronger one may find more.")
    return tuple(told)
