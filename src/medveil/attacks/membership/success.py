"""How often guesses of membership are right: hits at few false alarms, and the advantage, by patient with intervals.

The line for the advantage is drawn on one half of the patients and tried on the other, and the reverse: the best line
in hindsight would show an advantage where there is none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.stats.auc import WeightedAUC, honest_auc
from medveil.stats.bootstrap import REDRAWS, replicates
from medveil.stats.estimate import Estimate, exact_interval

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

FALSE_ALARMS = (0.001, 0.01)
FEWEST = 20  # patients on either side
_ROWS = 100  # redraws at a time


@dataclass(frozen=True)
class Success:
    """`hits`: the share of members told, by the share of non-members taken for members. At chance these are equal."""

    advantage: Estimate
    hits: dict[float, Estimate]
    auc: Estimate


def success_of(scores: Floats, member: Flags, *, seed: int, control: Success | None = None) -> Success:
    """Of scores that are high for those believed to be members, one a patient."""
    weights = _redraws(member, seed)
    advantage = _advantage(scores, member, weights, seed, control.advantage.value if control else None)
    order = np.argsort(-scores, kind="stable")
    hits = {
        rate: _hits(
            rate, scores[order], member[order], weights[:, order], control.hits[rate].value if control else None
        )
        for rate in FALSE_ALARMS
    }
    curve = WeightedAUC(scores, member)
    auc = Estimate.from_replicates(
        curve(),
        replicates(curve, weights),
        n=len(scores),
        units=len(scores),
        chance=0.5,
        control=control.auc.value if control else None,
    )
    return Success(advantage, hits, honest_auc(auc, int(min(member.sum(), (~member).sum()))))


def _redraws(member: Flags, seed: int) -> Floats:
    """Members and non-members are redrawn apart: their numbers are the auditor's choice."""
    rng = np.random.default_rng([seed, len(member)])
    weights = np.empty((REDRAWS, len(member)))
    for side in (member, ~member):
        count = int(side.sum())
        weights[:, side] = rng.multinomial(count, np.full(count, 1 / count), size=REDRAWS)
    return weights


def _hits(rate: float, scores: Floats, member: Flags, weights: Floats, control: float | None) -> Estimate:
    """The share of members above the line over which at most `rate` of the non-members lie; scores are in falling
    order. Of fewer non-members than 1 / rate, none may lie above it."""
    last = np.flatnonzero(np.append(scores[1:] != scores[:-1], True))  # a line is drawn between different scores

    def told(drawn: Floats) -> Floats:
        members, others = np.cumsum(drawn * member, axis=1)[:, last], np.cumsum(drawn * ~member, axis=1)[:, last]
        allowed = others <= rate * others[:, -1:] + 1e-9
        return np.asarray(np.where(allowed, members, 0.0).max(axis=1) / members[:, -1])

    redrawn = np.concatenate([told(weights[start : start + _ROWS]) for start in range(0, len(weights), _ROWS)])
    seen, count = float(told(np.ones((1, len(scores))))[0]), int(member.sum())
    return Estimate.from_replicates(seen, redrawn, n=count, units=count, chance=rate, control=control).as_share()


def _advantage(scores: Floats, member: Flags, weights: Floats, seed: int, control: float | None) -> Estimate:
    called = _cross_fitted(scores, member, seed)
    hits, alarms = float(called[member].mean()), float(called[~member].mean())
    redrawn = _share(called, member, weights) - _share(called, ~member, weights)
    found = Estimate.from_replicates(
        hits - alarms, redrawn, n=len(scores), units=len(scores), chance=0.0, control=control, bounds=True
    )
    low_hits, high_hits = exact_interval(hits, int(member.sum()))
    low_alarms, high_alarms = exact_interval(alarms, int((~member).sum()))
    down = np.hypot(hits - low_hits, high_alarms - alarms)  # Zou and Donner, 2008
    up = np.hypot(high_hits - hits, alarms - low_alarms)
    low = max(-1.0, min(found.low, found.value - float(down)))
    high = min(1.0, max(found.high, found.value + float(up)))
    return Estimate(**{**vars(found), "low": low, "high": high})


def _share(called: Flags, side: Flags, weights: Floats) -> Floats:
    return np.asarray(weights[:, side] @ called[side] / weights[:, side].sum(1))


def _cross_fitted(scores: Floats, member: Flags, seed: int) -> Flags:
    """Who is called a member, each by the line that tells best on the half they are not in."""
    rng = np.random.default_rng([seed, 29])
    half = np.zeros(len(scores), bool)
    for side in (member, ~member):
        places = rng.permutation(np.flatnonzero(side))
        half[places[: len(places) // 2]] = True
    called = np.zeros(len(scores), bool)
    for tried in (half, ~half):
        called[tried] = scores[tried] >= _best_line(scores[~tried], member[~tried])
    return called


def _best_line(scores: Floats, member: Flags) -> float:
    order = np.argsort(-scores, kind="stable")
    ordered, ours = scores[order], member[order]
    ahead = np.cumsum(ours) / ours.sum() - np.cumsum(~ours) / (~ours).sum()
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    best = last[int(np.argmax(ahead[last]))]
    below = ordered[best + 1] if best + 1 < len(ordered) else ordered[best]
    return float((ordered[best] + below) / 2) if below < ordered[best] else float(ordered[best])
