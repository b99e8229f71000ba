"""From what every query can expect to estimates: means and medians with intervals, by patient and by query."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from medveil.attacks.linkage.cases import Cases
from medveil.attacks.linkage.control import Control
from medveil.attacks.linkage.measurement import Measured, Setting
from medveil.attacks.linkage.settings import LinkageSettings, Unit
from medveil.stats.bootstrap import Means, Medians, Redraws
from medveil.stats.codes import Codes
from medveil.stats.estimate import Estimate
from medveil.stats.pools import METRICS, Doubles, PoolScores
from medveil.stats.shares import exact_interval

MEDIAN = "median rank"
FEW = 10  # successes; below, redraws do not know what they have not seen

Estimates = dict[str, Estimate]  # by metric


@dataclass(frozen=True)
class Units:
    """What is redrawn: patients with all their pairs, or queries one by one, as published."""

    name: Unit
    codes: Codes
    count: int  # to draw from, also those without a pair here

    @property
    def held(self) -> int:
        return len(np.unique(self.codes))


def units_of(cases: Cases) -> list[Units]:
    """By patient where patients are known, and by query."""
    by_query = Units("query", np.arange(len(cases)), len(cases))
    if cases.patients is None:
        return [by_query]
    return [Units("patient", cases.patients, cases.patient_count), by_query]


def estimate(
    measured: dict[str, Measured], control: Control, units: Units, settings: LinkageSettings, seed: int
) -> dict[str, dict[Setting, Estimates]]:
    """Every metric of every encoder and setting, under the same redraws."""
    columns = [(encoder, setting, scores) for encoder, each in measured.items() for setting, scores in each.items()]
    means = Means([scores.values for _, _, scores in columns], units.codes, units.count)
    places = _Places(columns)
    medians = Medians(places.columns, units.codes, units.count)
    redraws = Redraws(units.count, redraws=settings.redraws, seed=seed)
    drawn, middles = redraws.of(means, medians)
    results: dict[str, dict[Setting, Estimates]] = {encoder: {} for encoder in measured}
    rest: dict[str, Any] = {"n": len(units.codes), "units": units.held, "unit": units.name}
    for at, (encoder, setting, scores) in enumerate(columns):
        known = control.means(setting)
        found: Estimates = {}
        for number, metric in enumerate(METRICS):
            place = at * len(METRICS) + number
            rest["chance"], rest["control"] = float(scores.chance[number]), float(known[number])
            found[metric] = widened(Estimate.from_replicates(means.value[place], drawn[:, place], **rest), metric)
        ranks = places.ranks(at, np.vstack([medians.value, middles]))
        rest["chance"], rest["control"] = float((np.median(scores.size) + 1) / 2), control.median_rank(setting)
        found[MEDIAN] = Estimate.from_replicates(ranks[0], ranks[1:], **rest)
        results[encoder][setting] = found
    return results


def widened(found: Estimate, metric: str) -> Estimate:
    """Of a share with few successes, the wider of the redraws' interval and the exact binomial one by unit."""
    if not metric.startswith("Recall") or found.value * found.units >= FEW:
        return found
    low, high = exact_interval(found.value, found.units, level=found.level)
    return replace(found, low=min(found.low, low), high=max(found.high, high))


class _Places:
    """Expected ranks as few columns as will do: in random pools of any one size they follow from one another."""

    def __init__(self, columns: list[tuple[str, Setting, PoolScores]]) -> None:
        self._plan: list[tuple[int, float, float]] = []  # column, and the rank is this much plus that much times it
        known: dict[tuple[str, str], int] = {}
        kept: list[Doubles] = []
        for encoder, setting, scores in columns:
            size = float(scores.size[0])
            if setting.protocol == "random" and (scores.size == size).all() and size > 1:
                place = known.setdefault((encoder, setting.direction), len(kept))
                if place == len(kept):
                    kept.append((scores.rank - 1) / (size - 1))
                self._plan.append((place, 1.0, size - 1))
            else:
                self._plan.append((len(kept), 0.0, 1.0))
                kept.append(scores.rank)
        self.columns: Doubles = np.stack(kept, axis=1)

    def ranks(self, at: int, medians: Doubles) -> Doubles:
        column, base, factor = self._plan[at]
        return base + factor * medians[:, column]
