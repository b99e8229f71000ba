"""A model that surely remembers: heads behind the attacked encoder, fitted closely to half of these very pairs.

If the attack cannot tell that half from the other, it could not have told members either.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from medveil.attacks.membership.evidence import Evidence
from medveil.attacks.membership.scores import References
from medveil.attacks.membership.signals import Pairs, pair_signals
from medveil.attacks.refit.correlation import LinearHeads, correlation_heads
from medveil.attacks.refit.pairs import SeenPairs

DIM = 64
SHRINKAGE = 0.1


def remembering(pairs: Pairs, rivals: Pairs, population: Pairs, patients: int, *, seed: int) -> Evidence:
    """What the attack has about those heads; the encoder without them is its reference model."""
    fitted = np.zeros(patients, bool)
    fitted[np.random.default_rng([seed, 37]).permutation(patients)[: patients // 2]] = True
    own = pairs.take(fitted[pairs.patients])
    heads = correlation_heads(SeenPairs(own.images, own.reports, own.patients), dim=DIM, shrinkage=SHRINKAGE)
    people = int(population.patients.max()) + 1
    plain, usual = pair_signals(pairs, rivals, patients), pair_signals(population, rivals, people)
    references = References(
        plain.odds[None], plain.likelihood[None], usual.likelihood[None], np.zeros((1, patients), bool)
    )
    seen, against, everybody = (_through(heads, each) for each in (pairs, rivals, population))
    found = pair_signals(everybody, against, people).likelihood
    return Evidence(fitted, pair_signals(seen, against, patients), found, references)


def _through(heads: LinearHeads, pairs: Pairs) -> Pairs:
    return replace(pairs, images=heads.images(pairs.images), reports=heads.reports(pairs.reports))
