"""What embeddings allow and what they are good for: linkage as it is and after a refit, utility, and both elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.linkage.settings import PAPER_POOLS
from medveil.attacks.refit.pairs import SeenPairs
from medveil.attacks.refit.refitting import RefitPoint, Target, View, refit_attack
from medveil.attacks.refit.settings import RefitSettings
from medveil.errors import NotMeasurable
from medveil.release.protect.paired_features import Codes, PairedFeatures, ProtectionData, Vectors
from medveil.stats.bootstrap import REDRAWS, unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.matched_pools import matched_pools
from medveil.stats.pools import METRICS, PoolScores, random_pools
from medveil.stats.ranks import rank_pairs
from medveil.stats.shares import share
from medveil.utility.linear_probe import LabelledEmbeddings, LinearProbe, fit_probe, probe_estimates

Floats = NDArray[np.float64]
Embed = Callable[[Vectors, Vectors, int], tuple[Vectors, Vectors]]  # features, and a number that draws noise, if any

OWN_PAIRS = (0, 50, 100, 250, 500, 1000, 2000, 5000, 20_000)


@dataclass(frozen=True)
class MeasurementSettings:
    """How to measure.

    `by_image`: redraw images, as published, instead of patients. `own`: how many pairs the refitting adversary has, as
    far as there are so many; 0 is no refit. `pools`: sizes of candidate pools, as far as there are so many, beside all.
    `match`: reports that are no wrong answers: those of the same words ("text"), or none ("pair", as published).
    """

    redraws: int = REDRAWS
    seed: int = 0
    by_image: bool = False
    own: tuple[int, ...] = OWN_PAIRS
    refit: RefitSettings = field(default_factory=RefitSettings)
    pools: tuple[int, ...] = PAPER_POOLS
    match: Literal["text", "pair"] = "text"

    @property
    def unit(self) -> str:
        return "image" if self.by_image else "patient"

    def codes(self, part: PairedFeatures) -> Codes:
        """Which unit every pair belongs to."""
        return np.arange(len(part)) if self.by_image else part.patients

    def exclude(self, part: PairedFeatures) -> Codes | None:
        """Pairs with the same code do not compete."""
        return None if self.match == "pair" else part.texts

    def weights(self, part: PairedFeatures) -> Floats:
        """The same redraws for whatever is measured on this part, so that everything compares in pairs."""
        return unit_weights(len(part) if self.by_image else part.units, redraws=self.redraws, seed=self.seed)


@dataclass(frozen=True)
class EmbeddedPairs:
    """Embeddings as they would be released, and the pairs they are of."""

    images: Vectors
    reports: Vectors
    part: PairedFeatures

    @property
    def labelled(self) -> LabelledEmbeddings:
        return LabelledEmbeddings(self.images, self.part.targets, self.part.counts)

    def seen(self, how: MeasurementSettings) -> SeenPairs:
        return SeenPairs(self.images, self.reports, how.codes(self.part))


@dataclass(frozen=True)
class Measurements:
    """What was found for one set of heads. Linkage is named "random 100 Recall@1", "matched 100 MRR" and so on."""

    linkage: dict[str, Estimate]
    utility: dict[str, Estimate]
    refit: tuple[RefitPoint, ...] = ()
    elsewhere: dict[str, dict[str, Estimate]] = field(default_factory=dict)


def measure(embed: Embed, data: ProtectionData, how: MeasurementSettings) -> Measurements:
    """Everything about these embeddings, on patients nothing was fitted or chosen on."""

    def embedded(part: PairedFeatures, number: int) -> EmbeddedPairs:
        return EmbeddedPairs(*embed(part.images, part.reports, number), part)

    test = embedded(data.test, 0)
    probe = fit_probe(embedded(data.train, 1).labelled, embedded(data.validation, 2).labelled)
    return Measurements(
        linkage=linkage(test, how),
        utility=utility(probe, test, how),
        refit=() if data.own is None else refitted(embedded(data.own, 3), test, how),
        elsewhere={
            name: transfer(probe, embedded(part, 4 + number), how)
            for number, (name, part) in enumerate(data.elsewhere.items())
        },
    )


def transfer(probe: LinearProbe, pairs: EmbeddedPairs, how: MeasurementSettings) -> dict[str, Estimate]:
    """Heads and probe, unchanged, on another cohort: its linkage, and its utility where findings are labelled."""
    found = linkage(pairs, how)
    try:
        return {**found, **utility(probe, pairs, how)}
    except NotMeasurable:
        return found


def linkage(pairs: EmbeddedPairs, how: MeasurementSettings) -> dict[str, Estimate]:
    """Image to report, in random and in pathology-matched pools: Recall@1, 5, 10 and MRR."""
    ranks, _ = rank_pairs(pairs.images, pairs.reports, profiles=pairs.part.profiles, exclude=how.exclude(pairs.part))
    codes, weights = how.codes(pairs.part), how.weights(pairs.part)
    candidates = int(ranks.others.sum(axis=1).min()) + 1
    sizes = [size for size in how.pools if size < candidates]
    found: dict[str, Estimate] = {}

    def note(kind: str, pool: str, scores: PoolScores) -> None:
        for column, metric in enumerate(METRICS):
            values, chance = scores.values[:, column], float(scores.chance[column])
            found[f"{kind} {pool} {metric}"] = share(values, codes, weights, chance=chance, unit=how.unit)

    for size in sizes:
        note("random", str(size), random_pools(ranks, size))
    note("random", "all", random_pools(ranks, None))
    for size in sizes:  # a pool of all is the same however it is filled
        note("matched", str(size), matched_pools(ranks, size))
    return found


def utility(probe: LinearProbe, pairs: EmbeddedPairs, how: MeasurementSettings) -> dict[str, Estimate]:
    """Image-side: no report is looked at."""
    return probe_estimates(probe, pairs.labelled, how.codes(pairs.part), how.weights(pairs.part), unit=how.unit)


def refitted(own: EmbeddedPairs, test: EmbeddedPairs, how: MeasurementSettings) -> tuple[RefitPoint, ...]:
    """The refit attack on what the adversary sees of their own pairs and of the test's."""
    # whatever is redrawn, an adversary keeps a patient's pairs together to check what they fitted
    theirs = SeenPairs(own.images, own.reports, own.part.patients)
    target = Target(test.seen(how), how.weights(test.part), exclude=how.exclude(test.part), unit=how.unit)
    pools = (100, None) if len(test.part) > 100 else (None,)
    return refit_attack(theirs, target, sizes=how.own, pools=pools, settings=how.refit, seed=how.seed)


def refitted_on_features(data: ProtectionData, how: MeasurementSettings) -> tuple[RefitPoint, ...]:
    """The same by an adversary who has the frozen encoders; no heads come into it."""
    if data.own is None:
        return ()
    own, test = (EmbeddedPairs(part.images, part.reports, part) for part in (data.own, data.test))
    # before the heads, images and reports are not in one space: without a refit there is nothing to compare
    return refitted(own, test, replace(how, own=tuple(size for size in how.own if size)))


def adversary_access(view: View) -> str:
    """When an adversary has this view."""
    return {
        "embeddings": "the adversary sees what the released heads put out (embeddings are shared, the model is not)",
        "features": "the adversary has the frozen encoders too (the model is released): no heads can hinder them",
    }[view]
