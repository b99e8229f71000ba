"""How well findings were recognised, and how much of that is left: AUROCs, differences and shares, paired by patient.

Redraws follow from the seed and the number of patients alone: what is measured on the same films is paired.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.errors import NotMeasurable
from medveil.stats.auc import WeightedAUC, honest_auc
from medveil.stats.bootstrap import replicates, unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from medveil.utility.diagnosis.diagnosing import Diagnosed

MACRO = "macro AUROC"
FEWEST = 10  # patients with and without a finding; fewer say nothing about it
CHANCE = 0.5
Floats = NDArray[np.float64]


def measured(diagnosed: Diagnosed, *, fewest: int = FEWEST) -> list[int]:
    """The findings that enough patients have, and as many have not."""
    return [k for k in range(diagnosed.targets.shape[1]) if _enough(diagnosed, k, fewest)]


def aurocs(
    diagnosed: Diagnosed, names: Sequence[str], *, seed: int, fewest: int = FEWEST, redraws: int = 1000
) -> dict[str, Estimate]:
    """The mean over the findings that can be measured, and each of them by its name."""
    findings = measured(diagnosed, fewest=fewest)
    if not findings:
        raise NotMeasurable(f"no finding has at least {fewest} patients who have it and {fewest} who do not")
    codes, units = unit_codes(diagnosed.patients)
    weights = unit_weights(units, redraws=redraws, seed=seed)
    values, draws = zip(*(_auroc(diagnosed, k, codes, weights) for k in findings), strict=True)
    macro = Estimate.from_replicates(
        float(np.mean(values)), _mean(np.array(draws)), n=len(codes), units=units, chance=CHANCE
    )
    found = {MACRO: honest_auc(macro)}
    for k, value, drawn in zip(findings, values, draws, strict=True):
        counted = diagnosed.counts[:, k]
        people = len(np.unique(codes[counted]))
        one = Estimate.from_replicates(value, drawn, n=int(counted.sum()), units=people, chance=CHANCE)
        found[names[k]] = honest_auc(one, _smaller(diagnosed, k))
    return found


def share_kept(after: Estimate, before: Estimate, *, chance: float | Estimate = CHANCE) -> Estimate:
    """Of what the originals give above chance (or above a control), the share that is left; all from the same redraws.

    Where the originals themselves may give nothing, a share of it means nothing.
    """
    assert before.replicates is not None and after.replicates is not None
    level = chance.value if isinstance(chance, Estimate) else chance
    levels = chance.replicates if isinstance(chance, Estimate) else np.full(len(before.replicates), level)
    assert levels is not None
    gained = before.replicates - levels
    if not np.nanquantile(gained, (1 - before.level) / 2) > 0:
        raise NotMeasurable("the originals give too little above chance for a share of it to mean anything")
    return Estimate.from_replicates(
        (after.value - level) / (before.value - level),
        (after.replicates - levels) / np.where(gained > 0, gained, np.nan),
        n=after.n,
        units=after.units,
        unit=after.unit,
        level=after.level,
        chance=0.0,
    )


def _mean(draws: Floats) -> Floats:
    """Over the findings that a redraw has; not a number where it has none."""
    known = np.isfinite(draws)
    count = known.sum(axis=0)
    return np.where(count > 0, np.where(known, draws, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan)


def _enough(diagnosed: Diagnosed, finding: int, fewest: int) -> bool:
    return _smaller(diagnosed, finding) >= fewest


def _smaller(diagnosed: Diagnosed, finding: int) -> int:
    """How many patients have a finding, or have not, whichever are fewer."""
    known, target = diagnosed.counts[:, finding], diagnosed.targets[:, finding]
    sides: list[NDArray[Any]] = [diagnosed.patients[known & (target == value)] for value in (1, 0)]
    return min(len(np.unique(side)) for side in sides)


def _auroc(diagnosed: Diagnosed, finding: int, codes: NDArray[np.intp], weights: Floats) -> tuple[float, Floats]:
    use = diagnosed.counts[:, finding]
    auc = WeightedAUC(diagnosed.scores[use, finding], diagnosed.targets[use, finding] == 1)
    who = codes[use]
    return auc(), replicates(lambda row: auc(row[who]), weights)
