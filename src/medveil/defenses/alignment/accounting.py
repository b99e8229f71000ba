"""How much privacy a run costs: ε at δ for Gaussian noise on Poisson-sampled units, by dp-accounting.

Neighbouring data sets differ by one unit that is there or not (add or remove). The noise multiplier is the noise's
standard deviation over the sensitivity of the sum it is added to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from medveil.errors import SettingsError

Accountant = Literal["pld", "rdp"]
# orders of the Rényi accountant; fractional ones do not always converge
ORDERS = (*range(2, 65), 80, 96, 128, 192, 256, 512, 1024)
PRECISION = 1e-3  # of the noise multiplier, or of the ε it is chosen for, relative
LEAST = 1e-3  # noise multiplier that is tried
ACCOUNTANTS: dict[Accountant, str] = {
    "pld": "privacy loss distributions (PLD)",
    "rdp": "Rényi differential privacy (RDP)",
}


@dataclass(frozen=True)
class Spending:
    """One run as the accountant sees it: so many steps of noise on a sample."""

    noise: float  # noise multiplier: standard deviation over sensitivity
    sampling: float  # probability of a unit to take part in a step
    steps: int

    def __post_init__(self) -> None:
        if not (self.noise > 0 and math.isfinite(self.noise) and 0 < self.sampling <= 1 and self.steps >= 1):
            raise SettingsError(
                "privacy can be accounted for with positive noise, a sampling probability up to 1 and at least one step"
            )


def epsilon(spendings: Sequence[Spending], delta: float, accountant: Accountant = "pld") -> float:
    """What these runs on the same data cost together."""
    if not 0 < delta < 1:
        raise SettingsError("delta must be between 0 and 1")
    return _epsilon(_merged(spendings), delta, accountant) if spendings else 0.0


def _merged(spendings: Sequence[Spending]) -> tuple[Spending, ...]:
    """Steps of one kind count together, whichever run they are of: many short rounds cost what one long run does."""
    steps: dict[tuple[float, float], int] = {}
    for one in spendings:
        steps[one.noise, one.sampling] = steps.get((one.noise, one.sampling), 0) + one.steps
    return tuple(Spending(*kind, count) for kind, count in steps.items())


@cache
def _epsilon(spendings: tuple[Spending, ...], delta: float, accountant: Accountant) -> float:
    if accountant == "rdp":
        return _by_rdp(spendings, delta)
    interval = _interval(sum(spending.steps for spending in spendings))
    first, *rest = (_loss_distribution(spending, interval) for spending in spendings)
    for other in rest:
        first = first.compose(other)
    return float(first.get_epsilon_for_delta(delta))


def _interval(steps: int) -> float:
    """Of the discretised privacy loss. Rounding is always against us, and adds about the interval's square a step:
    at 6,000 steps this loses 2e-4 of ε."""
    return min(max(math.sqrt(6e-5 / steps), 1e-5), 1e-3)


@cache
def _loss_distribution(spending: Spending, interval: float) -> Any:
    from dp_accounting.pld import privacy_loss_distribution

    return privacy_loss_distribution.from_gaussian_mechanism(
        spending.noise, sampling_prob=spending.sampling, value_discretization_interval=interval
    ).self_compose(spending.steps)


def _by_rdp(spendings: Sequence[Spending], delta: float) -> float:
    import dp_accounting
    from dp_accounting import rdp

    accountant = rdp.RdpAccountant(ORDERS)
    for spending in spendings:
        step = dp_accounting.PoissonSampledDpEvent(spending.sampling, dp_accounting.GaussianDpEvent(spending.noise))
        accountant.compose(step, spending.steps)
    return float(accountant.get_epsilon(delta))


@cache
def noise_for(
    target: float,
    delta: float,
    sampling: float,
    steps: int,
    accountant: Accountant = "pld",
) -> float:
    """The least noise multiplier (to about a thousandth) with which this run costs at most ε."""
    if not (target > 0 and math.isfinite(target)):
        raise SettingsError("epsilon must be a positive number")

    def cost(noise: float, how: Accountant) -> float:
        return epsilon([Spending(noise, sampling, steps)], delta, how)

    # the Rényi bound is quick and asks for more noise: a safe place to start from
    enough = _least(lambda noise: cost(noise, "rdp"), target, 1.0)
    return enough if accountant == "rdp" else _least(lambda noise: cost(noise, "pld"), target, enough)


def _least(cost: Callable[[float], float], target: float, start: float) -> float:
    """The least value that costs no more than the target, to within `PRECISION`; what it returns does not."""
    high = start
    while cost(high) > target:
        high *= 1.5
        if high > 1e6:
            raise SettingsError("no amount of noise reaches this epsilon; ask for a larger one or for fewer steps")
    low = high / 1.5
    while low > LEAST and cost(low) <= target:
        low, high = low / 1.5, low
    halve = False
    while high / low > 1 + PRECISION and cost(high) < (1 - PRECISION) * target:
        middle = math.sqrt(low * high) if halve else _between(cost, target, low, high)
        low, high = (low, middle) if cost(middle) <= target else (middle, high)
        halve = not halve
    return high


def _between(cost: Callable[[float], float], target: float, low: float, high: float) -> float:
    """Where a power law through both ends meets the target, a little on the safe side."""
    above, below = math.log(min(cost(low), 1e9)), math.log(max(cost(high), 1e-9))
    share = (above - math.log((1 - PRECISION / 2) * target)) / (above - below)
    return low * (high / low) ** min(max(share, 0.01), 0.99)
