"""Which settings nobody should choose: another one links less and keeps more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from medveil.stats.estimate import Estimate

Status = Literal["on the frontier", "dominated", "clearly dominated"]


@dataclass(frozen=True)
class Standing:
    """How a point stands among the others, and the name of the best one that beats it in both."""

    standing: Status
    by: str | None = None


def standings(names: Sequence[str], linkage: Sequence[Estimate], utility: Sequence[Estimate]) -> list[Standing]:
    """A point is dominated if another links no more and keeps no less, and differs in one of the two.

    It is clearly dominated if the paired intervals of both differences exclude zero: it would be again on other
    patients.
    """
    return [_stand(at, names, linkage, utility) for at in range(len(names))]


def _stand(at: int, names: Sequence[str], linkage: Sequence[Estimate], utility: Sequence[Estimate]) -> Standing:
    better = [
        k
        for k in range(len(names))
        if linkage[k].value <= linkage[at].value
        and utility[k].value >= utility[at].value
        and (linkage[k].value < linkage[at].value or utility[k].value > utility[at].value)
    ]
    if not better:
        return Standing("on the frontier")
    clear = [k for k in better if linkage[k].minus(linkage[at]).high < 0 and utility[k].minus(utility[at]).low > 0]
    best = min(clear or better, key=lambda k: (linkage[k].value, -utility[k].value))
    return Standing("clearly dominated" if clear else "dominated", names[best])


def removed(before: Estimate, after: Estimate) -> Estimate:
    """The share of the excess over chance that is gone: 1 is all of it, below 0 the link became stronger.

    Redraws in which there was no excess to remove say nothing and are left out.
    """
    if before.replicates is None or after.replicates is None or before.chance is None or after.chance is None:
        raise ValueError("a share of the excess needs replicates and chance on both sides")
    excess, left = before.replicates - before.chance, after.replicates - after.chance
    draws = np.divide(excess - left, excess, out=np.full(len(excess), np.nan), where=excess > 0)
    start = before.value - before.chance
    value = (start - (after.value - after.chance)) / start if start > 0 else float("nan")
    known = draws[np.isfinite(draws)]
    if not len(known):
        nothing = float("nan")
        return Estimate(value, nothing, nothing, nothing, after.n, after.units, unit=after.unit)
    return Estimate.from_replicates(value, known, n=after.n, units=after.units, unit=after.unit)
