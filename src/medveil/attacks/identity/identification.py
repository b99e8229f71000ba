"""How well images recognise their person, within one cohort or between two: found at which try, and pair AUC."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.identity.pairs import PairSet, Side
from medveil.finding import Figure, Series
from medveil.stats.auc import WeightedAUC, honest_auc
from medveil.stats.bootstrap import replicates
from medveil.stats.estimate import Estimate
from medveil.stats.group_codes import Pairs
from medveil.stats.kernels.grid import Codes
from medveil.stats.retrieval import best_match_ranks, blind_ranks, cmc, mean_by_patient

Floats = NDArray[np.float64]
TRIES = (1, 2, 5, 10, 20, 50, 100)
MOST_PAIRS = 20_000  # of each kind, for pair AUC and calibration


@dataclass(frozen=True)
class Found:
    """For every query, the chance that its person is found within 1, 2, 5, … tries; NaN without anybody to find."""

    patients: Codes
    tries: tuple[int, ...]
    attack: Floats  # queries × tries
    chance: Floats
    control: Floats

    @classmethod
    def of(cls, ours: Side, theirs: Side | None) -> Found:
        """Images of a query's own study never count."""
        other = ours if theirs is None else theirs
        groups: Codes | Pairs = ours.patients if theirs is None else (ours.patients, other.patients)
        exclude = ours.studies if theirs is None else None
        tries = tuple(k for k in TRIES if k <= len(other))
        attack, control = (
            cmc(best_match_ranks(left, right, groups, exclude=exclude), tries)
            for left, right in ((ours.vectors, other.vectors), (ours.control, other.control))
        )
        return cls(ours.patients, tries, attack, cmc(blind_ranks(groups, exclude=exclude), tries), control)

    def within(self, place: int, weights: Floats) -> Estimate:
        """The share of queries that find their person within `tries[place]`."""
        columns = (each[:, place] for each in (self.attack, self.chance, self.control))
        attack, chance, control = columns
        return mean_by_patient(attack, self.patients, weights, chance=chance, control=control)

    def figure(self, weights: Floats) -> Figure:
        found = [self.within(place, weights) for place in range(len(self.tries))]
        return Figure(
            title="Patients found by number of tries",
            kind="line",
            x_title="most similar images looked at",
            y_title="share of tries that find the patient",
            series=compared(tuple(float(k) for k in self.tries), found, "found"),
        )


def compared(x: tuple[float | str, ...], estimates: list[Estimate], name: str) -> tuple[Series, ...]:
    """Estimates with their intervals as one series, and their control and chance as two more."""
    values, low, high = zip(*((each.value, each.low, each.high) for each in estimates), strict=True)
    control, chance = zip(*((each.control or 0.0, each.chance or 0.0) for each in estimates), strict=True)
    return (Series(name, x, values, low, high), Series("control", x, control), Series("chance", x, chance))


@dataclass(frozen=True)
class Sample:
    """Pairs of one person and as many of two, and how a redraw of patients weighs them."""

    scores: Floats
    same: NDArray[np.bool_]
    control: Floats
    left: Codes  # patients
    right: Codes

    @classmethod
    def draw(cls, ours: Side, theirs: Side | None, genuine: PairSet, strangers: PairSet, *, seed: int) -> Sample:
        other = ours if theirs is None else theirs
        rng = np.random.default_rng([seed, 1])
        own = np.sort(rng.permutation(len(genuine))[:MOST_PAIRS])
        mixed = np.sort(rng.permutation(len(strangers))[: max(len(own), 2000)])
        pairs = PairSet(
            np.r_[genuine.left[own], strangers.left[mixed]], np.r_[genuine.right[own], strangers.right[mixed]]
        )
        return cls(
            scores=pairs.scores(ours.vectors, other.vectors),
            same=np.arange(len(pairs)) < len(own),
            control=pairs.scores(ours.control, other.control),
            left=ours.patients[pairs.left],
            right=other.patients[pairs.right],
        )

    def weighed(self, drawn: Floats) -> Floats:
        """A redraw takes a patient's own pairs once each time they are drawn, mixed pairs once for each two drawn."""
        return np.where(self.same, drawn[self.left], drawn[self.left] * drawn[self.right])


def pair_auc(sample: Sample, weights: Floats) -> Estimate:
    """The chance that two images of one person are more alike than two images of two."""
    auc = WeightedAUC(sample.scores, sample.same)
    found = Estimate.from_replicates(
        auc(),
        replicates(lambda drawn: auc(sample.weighed(drawn)), weights),
        n=len(sample.scores),
        units=len(np.unique(np.r_[sample.left, sample.right])),
        chance=0.5,
        control=WeightedAUC(sample.control, sample.same)(),
    )
    return honest_auc(found)
