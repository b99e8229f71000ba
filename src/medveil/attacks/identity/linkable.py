"""The share of returning patients who can be linked, by recognition at a false-match rate or by a copy.

A patient is recognised if two images of theirs, from two studies, are more alike than all but a stated share of
pairs of two persons. The similarity this takes is learned on some patients and applied to others, so that nobody's
own images decide about them, and the share of strangers that pass it there is the measured false-match rate. Who has
the same picture in two studies is linked without being recognised. Where many pairs are exactly as alike as the limit,
they count by the share of them that the rate leaves room for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.identity.limits import Lessons, Limits
from medveil.attacks.identity.pairs import PairSet, Side
from medveil.stats.estimate import Estimate
from medveil.stats.kernels.grid import Codes
from medveil.stats.shares import share_of_redraws

Floats = NDArray[np.float64]
FOLDS = 4
_BLOCK = 2**22  # values held at a time


@dataclass(frozen=True)
class Returning:
    """Everybody who came twice: how many pairs of their images there are, and who has one picture in two studies."""

    patients: Codes
    pairs: NDArray[np.int64]
    copied: NDArray[np.bool_]


@dataclass(frozen=True)
class Best:
    """The most alike pair of every returning patient, how many pairs are exactly as alike, and whose limit counts."""

    score: Floats  # -inf where copies leave no pair to compare
    ties: Floats
    group: Codes

    def matched(self, limits: Limits) -> Floats:
        """Redraws × patients: the chance of being recognised under each redraw's limits (redraws × groups)."""
        each = Limits(limits.score[:, self.group], limits.tied[:, self.group])
        return each.matches(self.score, self.ties)


@dataclass(frozen=True)
class FalseMatches:
    """What a limit was meant to let through, and what it did among patients it was not learned on."""

    aimed: float
    measured: float
    tried: int  # pairs of two persons


@dataclass(frozen=True)
class Linkable:
    """For everybody who came twice: whether they are linked."""

    returning: Returning
    values: Floats
    control: Floats  # NaN where copies leave no pair to compare
    false: FalseMatches
    best: Best
    redrawn: Limits  # redraws × groups

    @property
    def patients(self) -> Codes:
        return self.returning.patients

    @cached_property
    def chance(self) -> Floats:
        """A blind attacker has a patient's every pair pass as often as strangers do."""
        return np.asarray(1 - (1 - self.false.measured) ** self.returning.pairs)

    def estimate(self, weights: Floats, among: NDArray[np.bool_] | None = None) -> Estimate:
        """With bounds that hold the uncertainty of the limit too."""
        keep = np.ones(len(self.patients), dtype=bool) if among is None else among
        compared = keep & np.isfinite(self.control)
        return share_of_redraws(
            self.values[keep],
            self._redrawn_shares(weights, keep),
            chance=float(self.chance[keep].mean()),
            control=float(self.control[compared].mean()) if compared.any() else None,
        )

    def _redrawn_shares(self, weights: Floats, keep: NDArray[np.bool_]) -> Floats:
        drawn = weights[:, self.patients[keep]]
        shares = np.empty(len(drawn))
        for rows in np.array_split(np.arange(len(drawn)), max(1, drawn.size // _BLOCK)):
            under = Limits(self.redrawn.score[rows], self.redrawn.tied[rows])
            linked = np.maximum(self.best.matched(under), _certain(self.returning, self.best))[:, keep]
            total = drawn[rows].sum(axis=1)
            with np.errstate(invalid="ignore", divide="ignore"):
                shares[rows] = np.where(total > 0, (drawn[rows] * linked).sum(axis=1) / total, np.nan)
        return shares


@dataclass(frozen=True)
class Dealt:
    """How patients are dealt: the limit for a fold is learned on the other folds that are seen in the same way."""

    space: Codes  # of every patient: who is seen in which way
    fold: Codes

    @classmethod
    def of(cls, count: int, *, halves: bool, seed: int) -> Dealt:
        """Everybody seen in one way, or the two halves in two."""
        place = np.random.default_rng([seed, 5]).permutation(count)
        return cls(place % 2 if halves else np.zeros_like(place), place // 2 % FOLDS)

    @property
    def group(self) -> Codes:
        return self.space * FOLDS + self.fold


class Contest:
    """Pairs of one person against pairs of two, scored once by image and once by the table alone."""

    def __init__(
        self,
        ours: Side,
        theirs: Side | None,
        genuine: PairSet,
        strangers: PairSet,
        *,
        returning: Returning,
        dealt: Dealt,
        score: Callable[[PairSet], Floats] | None = None,
    ) -> None:
        """Pairs are as alike as the inner product of their vectors, or as `score` says."""
        other = ours if theirs is None else theirs
        self._returning, self._group = returning, dealt.group
        self._owners = ours.patients[genuine.left]
        self._people = ours.patients[strangers.left], other.patients[strangers.right]
        self._rules = _rules(dealt, *self._people)
        alike = score or (lambda pairs: pairs.scores(ours.vectors, other.vectors))
        scores = alike(strangers)
        self._image = alike(genuine), self._lessons(scores)
        self._tries = [scores[tried] for _, tried in self._rules]
        by_table = strangers.scores(ours.control, other.control)
        self._table = genuine.scores(ours.control, other.control), self._lessons(by_table)

    def resolved(self, rate: float) -> float:
        """The asked false-match rate, or the smallest that the patients are enough to tell."""
        return max(each.resolved(rate) for each in self._image[1])

    def at(self, rate: float, weights: Floats) -> Linkable:
        """Who can be linked at this false-match rate."""
        genuine, lessons = self._image
        limits = _joined([each.limit(rate) for each in lessons])
        false = np.concatenate([_of_group(limits, at).matches(scores) for at, scores in enumerate(self._tries)])
        best, by_table = self._best(genuine), self._best(self._table[0])
        control = by_table.matched(_joined([each.limit(rate) for each in self._table[1]]))[0]
        return Linkable(
            returning=self._returning,
            values=np.maximum(best.matched(limits)[0], _certain(self._returning, best)),
            control=np.where(np.isfinite(by_table.score), control, np.nan),
            false=FalseMatches(rate, float(false.mean()) if len(false) else rate, len(false)),
            best=best,
            redrawn=_joined([each.redrawn(rate, weights) for each in lessons]),
        )

    def _lessons(self, scores: Floats) -> list[Lessons]:
        left, right = self._people
        return [Lessons(scores[known], left[known], right[known]) for known, _ in self._rules]

    def _best(self, genuine: Floats) -> Best:
        place = np.searchsorted(self._returning.patients, self._owners)
        score = np.full(len(self._returning.patients), -np.inf)
        np.maximum.at(score, place, genuine)
        ties = np.bincount(place[genuine == score[place]], minlength=len(score)).astype(float)
        return Best(score, ties, self._group[self._returning.patients])


def _rules(dealt: Dealt, left: Codes, right: Codes) -> list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """For every group, the pairs of strangers its limit is learned on, and those it is tried on."""
    spaces, folds = (tuple(codes[side] for side in (left, right)) for codes in (dealt.space, dealt.fold))
    rules = []
    for group in range((int(dealt.space.max(initial=0)) + 1) * FOLDS):
        space, fold = divmod(group, FOLDS)
        here = (spaces[0] == space) & (spaces[1] == space)
        known = here & (folds[0] != fold) & (folds[1] != fold)
        known = known if known.any() else np.ones(len(left), dtype=bool)  # a handful of patients: better than none
        rules.append((known, here & (folds[0] == fold) & (folds[1] == fold)))
    return rules


def _certain(returning: Returning, best: Best) -> Floats:
    """Who is linked whatever the limit: by a copy, or, in doubt, because copies leave nothing to compare."""
    return (returning.copied | ~np.isfinite(best.score)).astype(float)


def _joined(limits: list[Limits]) -> Limits:
    return Limits(np.stack([each.score for each in limits], 1), np.stack([each.tied for each in limits], 1))


def _of_group(limits: Limits, group: int) -> Limits:
    return Limits(limits.score[0, group], limits.tied[0, group])
