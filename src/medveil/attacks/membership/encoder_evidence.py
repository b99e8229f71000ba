"""The evidence about an encoder: it and the reference encoders are asked about every pair of image and report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.membership.evidence import Evidence
from medveil.attacks.membership.groups import Groups, check_enough
from medveil.attacks.membership.remembering import remembering
from medveil.attacks.membership.scores import References
from medveil.attacks.membership.signals import Pairs, Signals, Vectors, pair_signals
from medveil.cohort import Cohort
from medveil.encoders.encoder import Encoder
from medveil.encoders.extraction import encode_cohort
from medveil.encoders.vectors.embedding_folder import Embeddings
from medveil.stats.bootstrap import unit_codes

Progress = Callable[[str, int, int], None]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Asked:
    """What was found out about an encoder, and about one that surely remembers half of the same pairs; `members` and
    `others` are who was guessed about: those of whom every encoder could see a pair."""

    evidence: Evidence
    remembering: Evidence
    members: Cohort
    others: Cohort


@dataclass(frozen=True)
class _View:
    """The pairs of everybody guessed about, of their rivals, and of people in general, as one encoder sees them."""

    pairs: Pairs
    rivals: Pairs
    population: Pairs

    def told(self, patients: int) -> tuple[Signals, Signals]:
        people = int(self.population.patients.max()) + 1
        return pair_signals(self.pairs, self.rivals, patients), pair_signals(self.population, self.rivals, people)


def encoder_evidence(
    target: Encoder,
    references: Sequence[Encoder],
    groups: Groups,
    *,
    seed: int,
    cache: Path | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Asked:
    parts = (groups.members, groups.others, groups.crowd)
    watch = partial(progress, "encoding")
    encoded = [
        [encode_cohort(part, each, cache=cache, progress=watch) for part in parts] for each in (target, *references)
    ]
    rows = [reduce(np.intersect1d, [each[place].rows for each in encoded]) for place in range(len(parts))]
    codes = [_codes(part, kept) for part, kept in zip(parts, rows, strict=True)]
    members, others, crowd = (int(each.max(initial=-1)) + 1 for each in codes)
    check_enough(members, others, crowd)
    rival = np.random.default_rng([seed, 41]).permutation(crowd) < crowd // 2
    views = [_view([_at(each[place], rows[place]) for place in range(3)], codes, rival) for each in encoded]
    told = [view.told(members + others) for view in views]
    evidence = Evidence(np.arange(members + others) < members, told[0][0], told[0][1].likelihood, _references(told[1:]))
    shown = remembering(views[0].pairs, views[0].rivals, views[0].population, members + others, seed=seed)
    kept = [part.where(np.isin(np.arange(len(part)), some)) for part, some in zip(parts, rows, strict=True)]
    return Asked(evidence, shown, kept[0], kept[1])


def _view(seen: Sequence[tuple[Vectors, Vectors]], codes: Sequence[Codes], rival: NDArray[np.bool_]) -> _View:
    """Members, others and the crowd, one after the other; the crowd is dealt into rivals and people in general."""
    images, reports = (np.concatenate([part[side] for part in seen[:2]]) for side in (0, 1))
    pairs = Pairs(images, reports, np.concatenate([codes[0], codes[1] + codes[0].max() + 1]))
    crowd = Pairs(*seen[2], codes[2])
    rest = crowd.take(~rival[crowd.patients])
    population = replace(rest, patients=np.unique(rest.patients, return_inverse=True)[1])
    return _View(pairs, crowd.take(rival[crowd.patients]), population)


def _references(told: Sequence[tuple[Signals, Signals]]) -> References | None:
    """Encoders that were trained on none of these patients."""
    if not told:
        return None
    odds, likelihood = np.stack([of.odds for of, _ in told]), np.stack([of.likelihood for of, _ in told])
    population = np.stack([people.likelihood for _, people in told])
    return References(odds, likelihood, population, np.zeros(likelihood.shape, bool))


def _codes(cohort: Cohort, rows: Codes) -> Codes:
    return unit_codes(cohort.table["patient_id"].to_numpy()[rows])[0]


def _at(found: Embeddings, rows: Codes) -> tuple[Vectors, Vectors]:
    places = np.searchsorted(found.rows, rows)
    return found.images[places], found.reports[places]
