"""Before and after on the same people: paired differences with intervals, two-sided p-values, Holm's correction,
McNemar's exact test, and the same by units whose changes belong together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from medveil.stats.estimate import Estimate

Floats = NDArray[np.float64]
Correction = Literal["none", "holm"]


@dataclass(frozen=True)
class Change:
    """One measure before and after, the paired difference, and how likely so large a one is if nothing changed."""

    before: Estimate
    after: Estimate
    delta: Estimate  # after minus before
    p: float


def changes(
    before: Mapping[str, Estimate], after: Mapping[str, Estimate], *, correction: Correction = "none"
) -> dict[str, Change]:
    """What both have measured, in the order of `before`; `holm` corrects the p-values for looking that often.

    Both sides need replicates from the same redraws, as `Estimate.minus` does.
    """
    found = {name: _change(before[name], after[name]) for name in before if name in after}
    if correction == "none":
        return found
    corrected = holm(np.array([change.p for change in found.values()]))
    return {name: replace(change, p=float(p)) for (name, change), p in zip(found.items(), corrected, strict=True)}


def _change(before: Estimate, after: Estimate) -> Change:
    delta = after.minus(before)
    assert delta.replicates is not None
    return Change(before, after, delta, two_sided(delta.replicates))


def two_sided(differences: Floats) -> float:
    """Twice the smaller share of redraws on one side of zero, the observation itself counted as one redraw.

    A difference of exactly zero counts for both sides, so two equal models have p = 1; the least p that B redraws
    can give is 2 / (B + 1).
    """
    known = differences[np.isfinite(differences)]
    if not len(known):
        return 1.0
    side = min(int((known <= 0).sum()), int((known >= 0).sum()))
    return min(1.0, 2 * (side + 1) / (len(known) + 1))


def holm(p: Floats) -> Floats:
    """Holm's step-down correction: the k-th smallest of m is multiplied by m - k + 1, and none falls below the last."""
    order = np.argsort(p, kind="stable")
    steps = p[order] * np.arange(len(p), 0, -1)
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected


def mcnemar(gained: int, lost: int) -> float:
    """The exact two-sided p-value of so unequal numbers of pairs that changed for better and for worse."""
    return min(1.0, 2 * float(bdtr(min(gained, lost), gained + lost, 0.5)))


def sign_flips(changes: Floats, *, seed: int, draws: int = 9_999) -> float:
    """The two-sided p-value of so large a sum, if what each unit changed might as well have been the opposite.

    The sum as it is counts as one draw. Questions on one image change together; McNemar's test takes them for
    independent.
    """
    moved = changes[changes != 0]
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), (draws, len(moved)))
    reached = np.abs(signs @ moved) >= abs(moved.sum()) - 1e-9
    return float((reached.sum() + 1) / (draws + 1))
