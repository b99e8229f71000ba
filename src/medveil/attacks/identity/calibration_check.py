"""Fitting the calibration to pairs whose truth is known, and checking it on patients it was not fitted to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.identity.calibration import Calibration, CalibrationError, reliability
from medveil.attacks.identity.embedded_images import Embedder
from medveil.attacks.identity.identification import Sample
from medveil.finding import Figure, Series, percent

FEWEST = 20  # pairs of one person; with fewer, the network's own calibration is better than a new one

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CheckedCalibration:
    """A calibration, where it comes from and, where it could be checked, how far it is off."""

    calibration: Calibration
    source: str
    figure: Figure | None = None


def calibrate(sample: Sample | None, embedder: Embedder, patients: int, *, seed: int) -> CheckedCalibration | None:
    """From the cohort's own pairs where there are enough, else as the network's card has it; else none."""
    if sample is not None and sample.same.sum() >= FEWEST:
        fitted = Calibration.fit(sample.scores[sample.same], sample.scores[~sample.same])
        checked = _check(sample, patients, seed=seed)
        return CheckedCalibration(fitted, "fitted to the pairs of this cohort", checked)
    stored = embedder.card.get("calibration")
    return CheckedCalibration(Calibration.from_json(stored), "as the network's card has it") if stored else None


def _check(sample: Sample, patients: int, *, seed: int) -> Figure | None:
    """Fit on one half of the patients, state probabilities for the other, and compare with the truth."""
    half = np.random.default_rng([seed, 7]).permutation(patients) % 2
    left, right = half[sample.left], half[sample.right]
    stated = np.full(len(sample.scores), np.nan)
    for mine in (0, 1):
        lessons, own = (left != mine) & (right != mine), (left == mine) & (right == mine)
        if min((lessons & sample.same).sum(), (lessons & ~sample.same).sum()) < FEWEST // 2:
            return None
        fitted = Calibration.fit(sample.scores[lessons & sample.same], sample.scores[lessons & ~sample.same])
        stated[own] = fitted.probability(sample.scores[own], prior=0.5)
    checked = np.isfinite(stated)
    if not (sample.same & checked).any() or not (~sample.same & checked).any():
        return None
    return _figure(stated[checked], sample.same[checked])


def _balanced(weights: Floats, same: NDArray[np.bool_]) -> Floats:
    """With pairs of one person and pairs of two weighing the same in all."""
    for kind in (same, ~same):
        total = weights[kind].sum()
        weights[kind] /= total if total > 0 else 1.0
    return weights


def _figure(stated: Floats, same: NDArray[np.bool_]) -> Figure:
    balanced = _balanced(np.ones(len(same)), same)
    x, y = reliability(stated, same, balanced)
    off = CalibrationError(stated, same)(balanced)
    return Figure(
        title="Stated probability and what came true",
        kind="line",
        x_title="stated probability",
        y_title="share that were the same person",
        series=(Series("came true", tuple(x.tolist()), tuple(y.tolist())),),
        note=f"Both numbers should be equal; on average they differ by {percent(off)}, a little of which is luck. "
        "Patients the calibration was not fitted to; as many pairs of one person as of two.",
    )
