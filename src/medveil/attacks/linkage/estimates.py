"""From what every query can expect to estimates: means and medians with intervals, by patient and by query."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.linkage.cases import Cases
from medveil.attacks.linkage.control import Control
from medveil.attacks.linkage.measurement import Measured, Setting
from medveil.attacks.linkage.settings import LinkageSettings, Unit
from medveil.stats.bootstrap import Ascending, Means, Medians, Redraws
from medveil.stats.estimate import Estimate
from medveil.stats.kernels.grid import Codes
from medveil.stats.pools import METRICS, Doubles, PoolScores

MEDIAN = "median rank"

Estimates = dict[str, Estimate]  # by metric


@dataclass(frozen=True)
class Units:
    """What is redrawn: patients with all their pairs, or queries one by one, as published."""

    name: Unit
    codes: Codes
    count: int  # to draw from, also those without a pair here

    @cached_property
    def held(self) -> int:
        return self.held_by(np.ones(len(self.codes), dtype=bool))

    def held_by(self, rows: NDArray[np.bool_]) -> int:
        """Of how many units these rows are."""
        return int(np.count_nonzero(np.bincount(self.codes[rows], minlength=self.count)))


def units_of(cases: Cases) -> list[Units]:
    """By patient where patients are known, and by query."""
    by_query = Units("query", np.arange(len(cases)), len(cases))
    if cases.patients is None:
        return [by_query]
    return [Units("patient", cases.patients, cases.patient_count), by_query]


def estimate(
    measured: dict[str, Measured],
    control: Control,
    places: Places,
    units: Units,
    settings: LinkageSettings,
    seed: int,
) -> dict[str, dict[Setting, Estimates]]:
    """Every metric of every encoder and setting, under the same redraws."""
    columns = _columns(measured)
    means = Means([scores.values for _, _, scores in columns], units.codes, units.count)
    medians = Medians(places.columns, units.codes, units.count)
    drawn, middles = Redraws(units.count, redraws=settings.redraws, seed=seed).of(means, medians)
    factors = [places.ranks[encoder, setting] for encoder, setting, _ in columns]
    ranks = np.stack([each.of(np.vstack([medians.value, *medians.ends, middles])) for each in factors], axis=1)
    # metrics in turn and the median rank, setting by setting
    values = np.concatenate([means.value.reshape(len(columns), -1), ranks[0][:, None]], axis=1)
    redrawn = np.concatenate([drawn.reshape(len(drawn), len(columns), -1), ranks[3:, :, None]], axis=2)
    found = iter(
        Estimate.from_columns(
            values.ravel(),
            redrawn.reshape(len(redrawn), -1),
            n=len(units.codes),
            units=units.held,
            unit=units.name,
        )
    )
    spreads, exact = iter(means.spread.tolist()), iter(ranks[1:3].T.tolist())
    results: dict[str, dict[Setting, Estimates]] = {encoder: {} for encoder in measured}
    for encoder, setting, scores in columns:
        chances = (*scores.chance.tolist(), scores.chance_rank)
        told = [
            replace(next(found), chance=chance, control=reached)
            for chance, reached in zip(chances, control.reached(setting), strict=True)
        ]
        shares = [each.as_share(spread=next(spreads)) for each in told[:-1]]  # a reciprocal rank is one by degrees
        low, high = next(exact)
        middle = replace(told[-1], low=min(told[-1].low, low), high=max(told[-1].high, high), bounds=True)
        results[encoder][setting] = dict(zip((*METRICS, MEDIAN), [*shares, middle], strict=True))
    return results


class Place(NamedTuple):
    """An expected rank as `base` and `factor` times a column of `Places`."""

    column: int
    base: float
    factor: float

    def of(self, columns: Doubles) -> Doubles:
        return self.base + self.factor * columns[:, self.column]


class Places:
    """Expected ranks as few columns as will do: in random pools of any one size they follow from one another."""

    def __init__(self, measured: dict[str, Measured]) -> None:
        self.ranks: dict[tuple[str, Setting], Place] = {}
        known: dict[tuple[str, str], int] = {}
        kept: list[Doubles] = []
        for encoder, setting, scores in _columns(measured):
            size = float(scores.size[0])
            if setting.protocol == "random" and (scores.size == size).all() and size > 1:
                column = known.setdefault((encoder, setting.direction), len(kept))
                if column == len(kept):
                    kept.append((scores.rank - 1) / (size - 1))
                self.ranks[encoder, setting] = Place(column, 1.0, size - 1)
            else:
                self.ranks[encoder, setting] = Place(len(kept), 0.0, 1.0)
                kept.append(scores.rank)
        self.columns = Ascending(np.stack(kept, axis=1))


def _columns(measured: dict[str, Measured]) -> list[tuple[str, Setting, PoolScores]]:
    return [(encoder, setting, scores) for encoder, each in measured.items() for setting, scores in each.items()]
