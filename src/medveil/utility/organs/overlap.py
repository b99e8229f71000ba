"""Dice: how far organs found on one film agree with those of another, and what another person's would give."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.errors import NotMeasurable
from medveil.stats.bootstrap import unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.shares import share
from medveil.utility.organs.network import ORGANS

Masks = NDArray[np.bool_]
Floats = NDArray[np.float64]


def dice(found: Masks, truth: Masks) -> Floats:
    """Twice what both have, of what each has; films × organs. Not a number where the truth has no such organ."""
    if found.shape != truth.shape:
        raise ValueError("masks of different shapes cannot be compared")
    both, there = (found & truth).sum((-2, -1)), truth.sum((-2, -1))
    return np.where(there > 0, 2 * both / np.maximum(found.sum((-2, -1)) + there, 1), np.nan)


def other_patients(masks: Masks, patients: NDArray[Any], *, seed: int) -> Masks:
    """For every film the organs of another patient's: chests are alike, and Dice is high by that alone."""
    who, people = unit_codes(patients)
    if people < 2:
        raise ValueError("there is no other patient")
    rng = np.random.default_rng([seed, len(patients)])
    taken = [int(rng.choice(np.flatnonzero(who != own))) for own in who]
    return masks[taken]


def overlaps(
    found: Floats, control: Floats, patients: NDArray[Any], *, seed: int, redraws: int = 1000
) -> dict[str, Estimate]:
    """Mean Dice of each organ with bounds by patient, beside that of another patient's organs."""
    codes, units = unit_codes(patients)
    weights = unit_weights(units, redraws=redraws, seed=seed)
    estimates = {}
    for k, organ in enumerate(ORGANS):
        use = np.isfinite(found[:, k])
        if not use.any():
            raise NotMeasurable(f"no {organ} was found on any original")
        luck = float(np.nanmean(control[use, k]))
        estimates[f"{organ} Dice"] = share(found[use, k], codes[use], weights, chance=luck, control=luck)
    return estimates
