"""Every attacker that can be fitted, on either half of the patients, as vectors that the audit ranks like an encoder's.

An image of the one half is compared with all reports by what the other half taught, so that no pair is attacked by
somebody who has seen it, and every attacker faces the same pool as the encoders do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.linkage.fitting.classifier import FindingsOnFilms, chosen_ridge
from medveil.attacks.linkage.fitting.fusion import fusion_weights
from medveil.attacks.linkage.fitting.heads import Fold, Heads, chosen_heads
from medveil.attacks.linkage.fitting.views import Singles, Views
from medveil.attacks.linkage.measurement import Sides
from medveil.stats.kernels.grid import Codes

HEADS, FINDINGS, FUSED = "heads fitted here", "findings read here", "all of these together"
FEWEST = 30  # patients in either half; fewer teach nothing
FOLDS = 3
_MOST_LESSONS = 2000  # pairs; more teach little, and take longer
_MOST_CHECKED = 600  # of a fold, by which weights are chosen

Both = tuple[Singles, Singles]  # images, reports


def halves(patients: Codes, *, seed: int) -> Codes | None:
    """Which half every pair belongs to, by patient; None where either has too few patients to teach."""
    people, codes = np.unique(patients, return_inverse=True)
    half = np.random.default_rng([seed, 19]).permutation(len(people)) % 2
    return half[codes] if len(people) >= 2 * FEWEST else None


def cross_fitted(views: Views, plain: dict[str, Both], half: Codes, *, seed: int) -> dict[str, Sides]:
    """Attackers by name; `plain` are encoders as they are, which the sum of all takes in."""
    taught = [_taught(views, half == 1 - attacked, plain, seed=seed) for attacked in (0, 1)]
    names = [name for name in taught[0] if name in taught[1]]
    return {name: _both_ways(taught[0][name], taught[1][name], half) for name in names}


def _both_ways(one: Both, other: Both, half: Codes) -> Sides:
    """The asking side lies in the space its half is attacked in, the answering side in both.

    All scores are one higher than they would be, so that somebody who looks like nobody is no vector of zeros.
    """
    images, reports = (tuple(taught[side] for taught in (one, other)) for side in (0, 1))
    return Sides(
        images_ask=(_asking(images, half), _answering(reports)),
        reports_ask=(_answering(images), _asking(reports, half)),
    )


def _asking(seen: tuple[Singles, ...], half: Codes) -> Singles:
    return _answering(tuple(np.where((half == at)[:, None], each, np.float32(0)) for at, each in enumerate(seen)))


def _answering(seen: tuple[Singles, ...]) -> Singles:
    return np.concatenate([*seen, np.ones((len(seen[0]), 1), np.float32)], axis=1)


def _taught(views: Views, lessons: NDArray[np.bool_], plain: dict[str, Both], *, seed: int) -> dict[str, Both]:
    """Everybody, as attackers see them who learned on these rows."""
    rng = np.random.default_rng([seed, 23])
    rows = np.flatnonzero(lessons)
    rows = np.sort(rng.permutation(rows)[:_MOST_LESSONS])
    teaching = views.take(rows)
    folds = _folds(teaching.patients, rng)
    settings, ridge = chosen_heads(teaching, folds), chosen_ridge(teaching, folds)

    def fitted(some: Views) -> dict[str, Heads | FindingsOnFilms]:
        found: dict[str, Heads | FindingsOnFilms] = {HEADS: Heads.fit(some, settings)}
        films = None if ridge is None else FindingsOnFilms.fit(some, ridge)
        return found if films is None else {**found, FINDINGS: films}

    scores = []
    for taught, checked in folds:
        at = np.flatnonzero(checked)[:_MOST_CHECKED]
        known = teaching.take(at)
        each = [one.images(known) @ one.reports(known).T for one in fitted(teaching.take(taught)).values()]
        each += [images[rows[at]] @ reports[rows[at]].T for images, reports in plain.values()]
        scores.append(each)
    attackers = fitted(teaching)
    seen = {name: (one.images(views), one.reports(views)) for name, one in attackers.items()}
    weights = fusion_weights(scores)
    parts = [*seen.values(), *plain.values()]
    images = np.concatenate([np.float32(weight) * part[0] for weight, part in zip(weights, parts, strict=True)], axis=1)
    return {**seen, FUSED: (images, np.concatenate([part[1] for part in parts], axis=1))}


def _folds(patients: Codes, rng: np.random.Generator) -> list[Fold]:
    people, codes = np.unique(patients, return_inverse=True)
    fold = (rng.permutation(len(people)) % FOLDS)[codes]
    return [(fold != each, fold == each) for each in range(FOLDS)]
