"""The network adapted to the data at hand: what tells these people apart is learned on half of them.

The network stays as it is. On the returning patients of one half, a linear map learns in which directions two visits of
one person differ (style, breathing, position) and makes those count less, as linear discriminant analysis does; the
other half is attacked with it, and the reverse. How far to trust so few people is chosen within the teaching half.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.identity.pairs import Side, same_person, two_persons
from medveil.stats.auc import WeightedAUC
from medveil.stats.factorisation import eigenvectors
from medveil.stats.kernels.grid import Codes

Singles = NDArray[np.float32]
Floats = NDArray[np.float64]

FEWEST = 20  # returning patients in either half; fewer teach little, and leave too few to learn a limit on
SHRINKAGES = (0.9, 0.5, 0.2, 0.05)
_STRANGERS = 20_000  # pairs of two persons that a choice is checked on


def adapted(ours: Side, theirs: Side | None, half: Codes, *, seed: int) -> tuple[Side, Side | None] | None:
    """Both sides as the adapted network sees them; `half` deals patients. None where too few returned to teach."""
    maps = []
    for taught in (0, 1):
        lessons, others = (None if side is None else _of(side, half == 1 - taught) for side in (ours, theirs))
        assert lessons is not None
        if len(np.unique(_owners(lessons, others))) < FEWEST:
            return None
        maps.append(_chosen(lessons, others, seed=seed))

    def seen(side: Side) -> Side:
        vectors = np.empty_like(side.vectors)
        for taught, found in enumerate(maps):
            rows = half[side.patients] == taught
            vectors[rows] = found(side.vectors[rows])
        return replace(side, vectors=vectors)

    return seen(ours), None if theirs is None else seen(theirs)


class _Map:
    """Centres vectors and whitens what differs between visits of one person."""

    def __init__(self, ours: Side, theirs: Side | None, shrinkage: float) -> None:
        other = ours if theirs is None else theirs
        pairs = same_person(ours, theirs)
        apart = ours.vectors[pairs.left].astype(np.float64) - other.vectors[pairs.right]
        within = apart.T @ apart / (2 * len(pairs))
        width = len(within)
        shrunk = (1 - shrinkage) * within + shrinkage * np.trace(within) / width * np.eye(width)
        values, directions = eigenvectors(shrunk)
        safe = np.maximum(values, max(1e-9 * values[-1], 1e-30))
        self._whiten = directions / np.sqrt(safe)
        self._centre = np.concatenate([ours.vectors, other.vectors]).mean(axis=0, dtype=np.float64)

    def __call__(self, vectors: Singles) -> Singles:
        moved = (vectors - self._centre) @ self._whiten
        return (moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-30)).astype(np.float32)


def _chosen(ours: Side, theirs: Side | None, *, seed: int) -> _Map:
    """The shrinkage that tells best apart those of the teaching half that it was not fitted to."""
    people = int(max(side.patients.max(initial=0) for side in (ours, theirs) if side is not None)) + 1
    place = np.random.default_rng([seed, 17]).permutation(people) % 2
    quality = dict.fromkeys(SHRINKAGES, 0.0)
    for checked in (0, 1):
        (fit, fit_other), (check, check_other) = (
            [None if side is None else _of(side, place == part) for side in (ours, theirs)]
            for part in (1 - checked, checked)
        )
        assert fit is not None and check is not None
        if not len(_owners(fit, fit_other)) or not len(_owners(check, check_other)):
            continue
        for shrinkage in SHRINKAGES:
            found = _Map(fit, fit_other, shrinkage)
            quality[shrinkage] += _told_apart(found, check, check_other, seed)
    return _Map(ours, theirs, max(quality, key=lambda shrinkage: quality[shrinkage]))


def _told_apart(found: _Map, ours: Side, theirs: Side | None, seed: int) -> float:
    genuine, strangers = same_person(ours, theirs), two_persons(ours, theirs, seed=seed, most=_STRANGERS)
    left = found(ours.vectors)
    right = left if theirs is None else found(theirs.vectors)
    scores = [pairs.scores(left, right) for pairs in (genuine, strangers)]
    reached = WeightedAUC(np.concatenate(scores), np.arange(len(genuine) + len(strangers)) < len(genuine))()
    return 0.0 if np.isnan(reached) else reached


def _of(side: Side, patients: NDArray[np.bool_]) -> Side:
    keep = patients[side.patients]
    return Side(side.vectors[keep], side.control[keep], side.patients[keep], side.studies[keep])


def _owners(ours: Side, theirs: Side | None) -> Codes:
    return ours.patients[same_person(ours, theirs).left]
