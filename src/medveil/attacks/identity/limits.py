"""The similarity from which on two images are called one person's, learned on pairs of two persons.

A limit is a quantile far out in the tail, so it is uncertain where patients are few. Every redraw of patients learns
its own, and what it leads to carries that uncertainty.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from medveil.stats.kernels.grid import Codes

Floats = NDArray[np.float64]
LEAST_PAIRS = 3  # of two patients that pass a limit on average; with fewer, nobody can tell where it lies
_KEPT, _TAIL, _DOUBT = 2000, 1.5, 30.0  # of the most alike pairs that limits lie among: so many at least, and more
_BLOCK = 2**22  # weights held at a time


@dataclass(frozen=True)
class Limits:
    """One or many limits: the score of each, and the share of pairs exactly as alike that are called a match."""

    score: Floats
    tied: Floats

    def matches(self, scores: Floats, ties: Floats | float = 1.0) -> Floats:
        """The chance of a match for every score, or for the best of `ties` pairs with that score."""
        return np.where(scores == self.score, 1 - (1 - self.tied) ** ties, scores > self.score)


class Lessons:
    """Pairs of two persons that limits are learned on, the most alike first; `left` and `right` are patients."""

    def __init__(self, scores: Floats, left: Codes, right: Codes) -> None:
        order = np.argsort(-scores, kind="stable")
        self._scores, self._left, self._right = scores[order], left[order], right[order]
        low, high = np.minimum(left, right).astype(np.int64), np.maximum(left, right).astype(np.int64)
        self._known: tuple[Floats, Floats] | None = None
        self.persons = len(np.unique(low * (int(high.max(initial=0)) + 1) + high))

    def __len__(self) -> int:
        return len(self._scores)

    def resolved(self, rate: float) -> float:
        """The asked rate, or the smallest that so few people can tell."""
        return min(0.5, max(rate, LEAST_PAIRS / max(self.persons, 1)))

    def limit(self, rate: float) -> Limits:
        """So that a share `rate` of these pairs is called a match."""
        return self._learned(rate, np.ones((1, 1)), once=True)

    def redrawn(self, rate: float, weights: Floats) -> Limits:
        """The same in every redraw of patients (redraws × patients), which has a pair once for each two drawn."""
        return self._learned(rate, weights, once=False)

    def _learned(self, rate: float, weights: Floats, *, once: bool) -> Limits:
        kept = self._kept(rate)
        scores = self._scores[:kept]
        starts = np.flatnonzero(np.r_[True, scores[1:] != scores[:-1]])
        first = np.repeat(starts, np.diff(np.r_[starts, kept]))
        last = np.repeat(np.r_[starts[1:], kept] - 1, np.diff(np.r_[starts, kept]))
        found, shares = np.empty(len(weights)), np.empty(len(weights))
        totals = np.array([float(len(self))]) if once else self._totals(weights)
        for block in np.array_split(np.arange(len(weights)), max(1, len(weights) * kept // _BLOCK)):
            drawn = weights[block]
            each = np.ones((1, kept)) if once else drawn[:, self._left[:kept]] * drawn[:, self._right[:kept]]
            passed = np.cumsum(each, axis=1)
            room = rate * totals[block]
            at = np.minimum((passed < room[:, None]).sum(axis=1), kept - 1)
            rows = np.arange(len(block))
            above = np.where(first[at] > 0, passed[rows, first[at] - 1], 0.0)
            equal = passed[rows, last[at]] - above
            found[block] = scores[at]
            shares[block] = np.clip((room - above) / np.maximum(equal, 1e-12), 0, 1)
        return Limits(found, shares)

    def _kept(self, rate: float) -> int:
        """How many of the most alike pairs a limit can lie among; ties are kept whole."""
        room = rate * len(self)
        kept = min(len(self), int(max(_KEPT, _TAIL * room, room + _DOUBT * np.sqrt(room))) + 1)
        return int(np.searchsorted(-self._scores, -self._scores[kept - 1], side="right"))

    def _totals(self, weights: Floats) -> Floats:
        """How many pairs every redraw has; the same whatever the rate."""
        if self._known is None or self._known[0] is not weights:
            size = weights.shape[1]
            counts = coo_array((np.ones(len(self)), (self._left, self._right)), shape=(size, size)).tocsr()
            self._known = weights, np.asarray((weights * (counts @ weights.T).T).sum(axis=1))
        return self._known[1]
