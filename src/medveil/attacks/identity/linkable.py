"""The share of patients who can be linked at a stated false-match rate.

A patient is linkable if two images of theirs, from two studies, are more alike than all but a stated share of
pairs of two persons. The similarity this takes is learned on one half of the patients and applied to the other,
so that nobody's own images decide about them. Where many pairs are exactly as alike as the limit, they count by
the share of them that the rate leaves room for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.identity.pairs import PairSet, Side
from medveil.stats.estimate import Estimate
from medveil.stats.kernels.grid import Codes
from medveil.stats.shares import share

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Limit:
    """The similarity from which on a pair is called a match, and the share of ties that are."""

    score: float
    tied: float

    @classmethod
    def at(cls, strangers: Floats, rate: float) -> Limit:
        """So that a share `rate` of these pairs of two persons is called a match."""
        room = rate * len(strangers)
        score = float(np.partition(strangers, -max(int(np.ceil(room)), 1))[-max(int(np.ceil(room)), 1)])
        above, equal = (strangers > score).sum(), (strangers == score).sum()
        return cls(score, float(np.clip((room - above) / equal, 0, 1)))

    def matches(self, scores: Floats) -> Floats:
        """For every pair the chance that it is called a match: 0, 1, or between for ties."""
        return np.where(scores == self.score, self.tied, scores > self.score)


@dataclass(frozen=True)
class Linkable:
    """For every patient who could be linked at all: whether they are."""

    patients: Codes
    values: Floats
    control: Floats
    chance: Floats
    observed_rate: float  # false matches among the patients the limit was not learned on
    strangers: int  # pairs of two persons that each limit was learned on, at least

    def estimate(self, weights: Floats, among: NDArray[np.bool_] | None = None) -> Estimate:
        keep = np.ones(len(self.patients), dtype=bool) if among is None else among
        return share(
            self.values[keep],
            self.patients[keep],
            weights,
            chance=float(self.chance[keep].mean()),
            control=float(self.control[keep].mean()),
        )


class Contest:
    """Pairs of one person against pairs of two, scored once by image and once by the table alone."""

    def __init__(
        self, ours: Side, theirs: Side | None, genuine: PairSet, strangers: PairSet, *, count: int, seed: int
    ) -> None:
        other = ours if theirs is None else theirs
        half = np.random.default_rng([seed, 5]).permutation(count) % 2
        self._owners = ours.patients[genuine.left]
        self._half = half[self._owners]
        self._halves = half[ours.patients[strangers.left]], half[other.patients[strangers.right]]
        self._by_image = (genuine.scores(ours.vectors, other.vectors), strangers.scores(ours.vectors, other.vectors))
        self._by_table = (genuine.scores(ours.control, other.control), strangers.scores(ours.control, other.control))

    def at(self, rate: float) -> Linkable:
        """Who can be linked at this false-match rate."""
        hits, observed, fewest = self._matches(*self._by_image, rate)
        control, _, _ = self._matches(*self._by_table, rate)
        patients, of = np.unique(self._owners, return_inverse=True)
        return Linkable(
            patients=patients,
            values=_any(hits, of, len(patients)),
            control=_any(control, of, len(patients)),
            chance=_any(np.full(len(of), rate), of, len(patients)),
            observed_rate=observed,
            strangers=fewest,
        )

    def _matches(self, genuine: Floats, strangers: Floats, rate: float) -> tuple[Floats, float, int]:
        """The chance of a match for every pair of one person, the false matches seen, and the fewest lessons."""
        hits = np.zeros(len(genuine))
        false: list[Floats] = []
        fewest = len(strangers)
        for mine in (0, 1):
            left, right = (side == mine for side in self._halves)
            lessons = strangers[~left & ~right]
            lessons = lessons if len(lessons) else strangers  # a handful of patients: better than no limit
            limit = Limit.at(lessons, rate)
            hits[self._half == mine] = limit.matches(genuine[self._half == mine])
            false.append(limit.matches(strangers[left & right]))
            fewest = min(fewest, len(lessons))
        seen = np.concatenate(false)
        return hits, float(seen.mean()) if len(seen) else rate, fewest


def _any(chances: Floats, groups: Codes, count: int) -> Floats:
    """The chance that at least one of each group's pairs matches."""
    none = np.ones(count)
    np.multiply.at(none, groups, 1 - chances)
    return 1 - none
