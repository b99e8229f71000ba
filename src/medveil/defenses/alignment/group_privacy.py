"""What a guarantee for one pair means for a patient with several.

Each of the patient's k pairs takes part in a step by itself, so the number that do is binomial, and j of them move the
sum by at most j sensitivities, most harmfully all in one direction. A step is then a mixture of Gaussians on a line,
and its privacy loss distribution, composed over the steps, bounds the patient's ε. (Multiplying ε by k is no bound at
the same δ; sampling the patient as a whole would be one, but a hundredfold too high.)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import binom, norm

from medveil.defenses.alignment.accounting import Spending, epsilon

INTERVAL = 1e-3  # of the discretised privacy loss
TAIL = 1e-9  # of δ a step: taking part more often than is followed, or noise further out
REACH = 12.0  # standard deviations of noise that are followed

Floats = NDArray[np.float64]


def patient_epsilon(spending: Spending | Sequence[Spending], pairs: int, delta: float) -> float:
    """ε of a patient with so many pairs, where a unit is a pair, over one run or several; an upper bound."""
    return _patient_epsilon((spending,) if isinstance(spending, Spending) else tuple(spending), pairs, delta)


@cache
def _patient_epsilon(spendings: tuple[Spending, ...], pairs: int, delta: float) -> float:
    if pairs <= 1:
        return epsilon(spendings, delta)
    first, *rest = (_loss_distribution(spending, pairs, delta) for spending in spendings)
    for other in rest:
        first = first.compose(other)
    return float(first.get_epsilon_for_delta(delta))


def _loss_distribution(spending: Spending, pairs: int, delta: float) -> Any:
    from dp_accounting.pld import privacy_loss_distribution

    step = _Mixture(spending.noise, spending.sampling, pairs, TAIL * delta)
    together = privacy_loss_distribution.PrivacyLossDistribution(step.removed(), step.added())
    return together.self_compose(spending.steps)


class _Mixture:
    """Σ pⱼ N(j, σ²), j = 0 … most, against N(0, σ²). What is left out of the mixture is `missing`."""

    def __init__(self, noise: float, sampling: float, pairs: int, tail: float) -> None:
        most = min(pairs, int(binom.isf(tail, pairs, sampling)) + 1)
        self.noise = noise
        self.shifts = np.arange(most + 1, dtype=np.float64)
        with np.errstate(divide="ignore"):
            self.log_shares: Floats = binom.logpmf(self.shifts, pairs, sampling)
        self.missing = float(binom.sf(most, pairs, sampling))
        self.grid = np.linspace(-REACH * noise, most + REACH * noise, 20_001)
        # far out there is nothing: stop where less than the tail is left
        self.grid = self.grid[: np.searchsorted(-self._above(self.grid), -tail) + 2]

    def removed(self) -> object:
        """Loss of the mixture against plain noise: the patient was there."""
        losses = self._losses(self.grid)
        low, high = int(np.floor(losses[0] / INTERVAL)), int(np.ceil(losses[-1] / INTERVAL))
        epsilons = INTERVAL * np.arange(low, high + 1, dtype=np.float64)
        at = self._inverse(epsilons, losses)
        return _pmf(low, high, self._above(at) + self.missing - np.exp(epsilons) * norm.sf(at / self.noise))

    def added(self) -> object:
        """Loss of plain noise against the mixture: the patient was not there. Left-out shares only make it larger."""
        losses = self._losses(self.grid)
        low, high = int(np.floor(-losses[-1] / INTERVAL)), int(np.ceil(-losses[0] / INTERVAL))
        epsilons = INTERVAL * np.arange(low, high + 1, dtype=np.float64)
        at = self._inverse(-epsilons, losses)
        return _pmf(low, high, norm.cdf(at / self.noise) - np.exp(epsilons) * self._below(at))

    def _above(self, x: Floats) -> Floats:
        return norm.sf((x[:, None] - self.shifts) / self.noise) @ np.exp(self.log_shares)

    def _below(self, x: Floats) -> Floats:
        return norm.cdf((x[:, None] - self.shifts) / self.noise) @ np.exp(self.log_shares)

    def _terms(self, x: Floats) -> Floats:
        return self.log_shares + (2 * x[:, None] - self.shifts) * self.shifts / (2 * self.noise**2)

    def _losses(self, x: Floats) -> Floats:
        return logsumexp(self._terms(x), axis=1)

    def _inverse(self, wanted: Floats, losses: Floats) -> Floats:
        """Where the loss has these values: Newton's method from a table; the loss is convex and increasing."""
        x = np.interp(wanted, losses, self.grid)
        for _ in range(3):
            terms = self._terms(x)
            loss = logsumexp(terms, axis=1)
            slope = (np.exp(terms - loss[:, None]) @ self.shifts) / self.noise**2
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                x = np.clip(np.nan_to_num(x - (loss - wanted) / slope, nan=self.grid[0]), self.grid[0], self.grid[-1])
        return x


def _pmf(low: int, high: int, deltas: Floats) -> object:
    from dp_accounting.pld import pld_pmf

    # rounding must not make the curve rise
    falling = np.maximum.accumulate(np.clip(deltas, 0, 1)[::-1])[::-1]
    return pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(INTERVAL, low, high, falling)
