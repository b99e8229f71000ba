"""From what models say of each patient to guesses: the higher the score, the surer that the patient was trained on.

All are by patient. `target` is what the attacked model says, `others` what reference models say, a row a model, of
which `included` tells whose patients they were trained on themselves. Reference models that were trained on none of the
patients allow the offline form of an attack only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.membership.signals import log_sum

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

ENOUGH_FOR_EACH = 16  # reference models on either side for a patient's own spread; of fewer, all patients share one
_LEAST_SPREAD = 1e-6


@dataclass(frozen=True)
class References:
    """What reference models say: `odds` (models × channels × patients) and `likelihood` (models × patients), logarithms
    both; `population` (models × others) is the likelihood of patients whom nobody was trained on."""

    odds: Floats
    likelihood: Floats
    population: Floats
    included: Flags  # models × patients

    def __len__(self) -> int:
        return len(self.likelihood)

    @property
    def online(self) -> bool:
        """Whether every patient is in the training data of some of them, and of others not."""
        return bool(len(self) and (self.included.any(0) & ~self.included.all(0)).all())

    def without(self, model: int) -> References:
        rest = np.arange(len(self)) != model
        return References(self.odds[rest], self.likelihood[rest], self.population[rest], self.included[rest])


def lira(target: Floats, others: References) -> Floats:
    """The likelihood-ratio attack (Carlini et al., 2022): `target` (channels × patients) is held against what models
    say that were trained on the patient, and against what the others say; offline, against the latter alone."""
    outside = _masked(others.odds, ~others.included)
    mean_out, sd_out = _mean_and_spread(outside)
    if not others.online:
        return np.asarray(((target - mean_out) / sd_out).sum(0))
    mean_in, sd_in = _mean_and_spread(_masked(others.odds, others.included))
    ratio = _log_normal(target, mean_in, sd_in) - _log_normal(target, mean_out, sd_out)
    return np.asarray(ratio.sum(0))


def rmia(target: Floats, target_population: Floats, others: References) -> Floats:
    """The robust attack of Zarifzadeh et al. (2024): the share of other people whom the model prefers less, by
    comparison with what is usual, than this patient.

    What is usual is the mean of models with and without the patient; offline, of those without.
    """
    above = target - _usual(others.likelihood, others.included)
    theirs = target_population - _usual(others.population, np.zeros(others.population.shape, bool))
    beaten = np.searchsorted(np.sort(theirs), above, side="right") / max(1, len(theirs))
    return beaten + _between(above)


def _usual(likelihood: Floats, included: Flags) -> Floats:
    """The logarithm of the mean likelihood, models that have seen the patient counting as much as those that have
    not."""
    out = _log_mean(likelihood, ~included)
    if not included.any(0).all():
        return out
    return np.asarray(np.logaddexp(_log_mean(likelihood, included), out) - np.log(2))


def _log_mean(likelihood: Floats, counts: Flags) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(log_sum(np.where(counts, likelihood, -np.inf), 0) - np.log(counts.sum(0)))


def _between(above: Floats) -> Floats:
    """Breaks ties between patients who beat equally many others; too small to change any other order."""
    return np.asarray(np.unique(above, return_inverse=True)[1] / max(1, len(above)) * 1e-7)


def _masked(values: Floats, counts: Flags) -> Floats:
    return np.where(counts[:, None, :], values, np.nan)


def _mean_and_spread(values: Floats) -> tuple[Floats, Floats]:
    """Of each patient over models; the spread of all patients together where models are few, and of the patients
    themselves where there is one model only."""
    count = (~np.isnan(values)).sum(0)
    total = np.nansum(values, axis=0)
    mean = total / np.maximum(count, 1)
    squares = np.nansum((values - mean) ** 2, axis=0)
    if count.min() >= ENOUGH_FOR_EACH:
        spread = np.sqrt(squares / (count - 1))
    elif (count > 1).any():
        pooled = squares.sum(1, keepdims=True) / np.maximum(count - 1, 0).sum(1, keepdims=True)
        spread = np.broadcast_to(np.sqrt(pooled), mean.shape)
    else:
        spread = np.broadcast_to(mean.std(1, keepdims=True), mean.shape)
    return mean, np.maximum(spread, _LEAST_SPREAD)


def _log_normal(values: Floats, mean: Floats, spread: Floats) -> Floats:
    return -0.5 * ((values - mean) / spread) ** 2 - np.log(spread)
