"""Recall@1 in databases larger than the cohort, as a scenario: a curve through the pools that were measured.

Two curves are fitted to the logarithm of Recall@1 over the pool size N. The first takes the share of candidates that
beat the right one to be beta-distributed over queries, which bends at small N and becomes a power law. The second is a
power law through the larger pools alone. Each is fitted to pools of up to a tenth of the cohort, and what it foretells
for the whole cohort is compared with what was measured; the better one is fitted again to all. Every redraw is fitted
for itself, and the lower end falls with the error of that check for every tenfold step beyond the cohort.

No curve knows of cases that nothing in any database resembles: a few of them in a hundred leave no trace in the pools
that were measured, and stay linkable however large a database becomes. So the upper end is the measured one, and never
falls; what lies between the ends is what may be, no interval.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln

from medveil.stats.estimate import Estimate

Doubles = NDArray[np.float64]

FEWEST = 300  # candidates; smaller cohorts say nothing of large databases
DATABASES = (100_000, 1_000_000, 10_000_000)
_STEPS, _CLOSE = 60, 1e-7  # of the fit: at most so many, until none moves more
_NONE = 1e-5  # of what was measured: redraws are added up in single precision, which leaves that little of no success
_TAIL = 0.1  # the power law goes through pools of at least this share of the largest it is fitted to


def curve_sizes(candidates: int) -> tuple[int, ...]:
    """3, 10, 30, 100 … below the number of candidates: where the curve is measured beside the whole."""
    steps = (3 * 10**power if half else 10**power for power in range(10) for half in (False, True))
    return tuple(size for size in steps if 1 < size < candidates)


@dataclass(frozen=True)
class Extrapolation:
    """A curve that was checked and fitted; `errors` are the relative errors of the check by model."""

    model: str
    errors: dict[str, float]
    largest: int  # candidates measured
    _curve: Doubles  # redraws, the first being the measurement, x parameters
    _at: Estimate  # the largest pool measured, for what is known of its sample

    @classmethod
    def fit(cls, sizes: tuple[int, ...], found: list[Estimate]) -> Extrapolation | None:
        """From Recall@1 at ascending sizes, the last being the whole cohort; None where that is too little."""
        if sizes[-1] < FEWEST or found[-1].value <= 0:
            return None
        logs = np.log(sizes)
        recall = np.stack([np.r_[each.value, _replicates(each)] for each in found], axis=1)
        recall[recall < _NONE * recall[0]] = 0
        with np.errstate(divide="ignore"):
            values = np.log(recall)
        early = np.array(sizes) <= sizes[-1] / 10
        if early.sum() < 3:
            return None
        errors = {}
        for name, (fit, curve) in _MODELS.items():
            guess = curve(fit(logs[early], values[:1, early]), logs[-1:])[0, 0]
            errors[name] = float(np.expm1(guess - values[0, -1]))
        model = min(errors, key=lambda name: abs(np.log1p(errors[name])))
        return cls(model, errors, sizes[-1], _MODELS[model][0](logs, values), found[-1])

    def at(self, size: int) -> Estimate:
        """Recall@1 in a database of `size` candidates, the right one included; at most what was measured at hand."""
        values = np.exp(_MODELS[self.model][1](self._curve, np.log([size]))[:, 0])
        estimate = Estimate.from_replicates(
            values[0],
            values[1:],
            n=self._at.n,
            units=self._at.units,
            unit=self._at.unit,
            level=self._at.level,
            chance=1 / size,
        )
        steps = max(0.0, np.log10(size / self.largest))
        doubt = np.exp(abs(np.log1p(self.errors[self.model])) * steps)
        return replace(estimate, low=estimate.low / doubt, high=max(self._at.high, estimate.value), scenario=True)


def _replicates(found: Estimate) -> Doubles:
    assert found.replicates is not None
    return found.replicates


def _fit_power(logs: Doubles, values: Doubles) -> Doubles:
    """Straight lines through the points of the larger pools, leaving out redraws' pools without any success."""
    used = (logs >= logs[-1] + np.log(_TAIL) - 1e-9) & np.isfinite(values)
    weight = used.astype(np.float64)
    y = np.where(used, values, 0.0)
    total = weight.sum(axis=1)
    x_mean, y_mean = (weight @ logs) / total, y.sum(axis=1) / total
    x = logs - x_mean[:, None]
    slope = (weight * x * y).sum(axis=1) / (weight * x**2).sum(axis=1)
    return np.stack([y_mean - slope * x_mean, slope], axis=1)


def _power(parameters: Doubles, logs: Doubles) -> Doubles:
    return parameters[:, :1] + parameters[:, 1:] * logs


def _fit_beta(logs: Doubles, values: Doubles) -> Doubles:
    """Least squares in the logarithms of both parameters; redraws start where the measurement ended."""
    first = _least_squares(logs, values[:1], np.zeros((1, 2)))
    return np.concatenate([first, _least_squares(logs, values[1:], np.repeat(first, len(values) - 1, axis=0))])


def _least_squares(logs: Doubles, values: Doubles, start: Doubles) -> Doubles:
    """All rows at once (Levenberg and Marquardt), leaving out redraws' pools without any success."""
    used = np.isfinite(values)
    y = np.where(used, values, 0.0)
    parameters, damping = start.copy(), np.full(len(values), 1e-2)
    error = np.where(used, _beta(parameters, logs) - y, 0.0)
    for _ in range(_STEPS):
        slopes = _beta_slopes(parameters, logs) * used[:, :, None]
        normal = np.einsum("rsi,rsj->rij", slopes, slopes)
        normal += damping[:, None, None] * np.eye(2) * (np.einsum("rii->ri", normal)[:, :, None] + 1e-12)
        step = _solved(normal, np.einsum("rsi,rs->ri", slopes, error))
        tried = np.clip(parameters - np.clip(step, -1, 1), -12, 12)
        missed = np.where(used, _beta(tried, logs) - y, 0.0)
        better = (missed**2).sum(axis=1) <= (error**2).sum(axis=1)
        settled = np.abs(tried - parameters).max(initial=0) < _CLOSE
        parameters[better], error[better] = tried[better], missed[better]
        damping = np.clip(np.where(better, damping / 9, damping * 9), 1e-9, 1e9)
        if settled:
            break
    return parameters


def _solved(matrices: Doubles, sides: Doubles) -> Doubles:
    """Of two equations each; no step where they are one and the same."""
    (a, b), (c, d) = (matrices[:, row].T for row in (0, 1))
    determinant = a * d - b * c
    found = np.stack([d * sides[:, 0] - b * sides[:, 1], a * sides[:, 1] - c * sides[:, 0]], axis=1)
    known = np.isfinite(determinant) & (np.abs(determinant) > 0)
    return np.where(known[:, None], found / np.where(known, determinant, 1.0)[:, None], 0.0)


def _beta(parameters: Doubles, logs: Doubles) -> Doubles:
    """Log of E[(1 - p)^(N-1)] for beta-distributed p."""
    a, b = np.exp(parameters[:, :1]), np.exp(parameters[:, 1:])
    rest = np.exp(logs) - 1
    return gammaln(a + b) - gammaln(b) + gammaln(b + rest) - gammaln(a + b + rest)


def _beta_slopes(parameters: Doubles, logs: Doubles) -> Doubles:
    """Its derivatives by the logarithms of both parameters."""
    a, b = np.exp(parameters[:, :1]), np.exp(parameters[:, 1:])
    rest = np.exp(logs) - 1
    both = digamma(a + b) - digamma(a + b + rest)
    return np.stack([a * both, b * (both - digamma(b) + digamma(b + rest))], axis=2)


_MODELS = {"beta": (_fit_beta, _beta), "power law": (_fit_power, _power)}
