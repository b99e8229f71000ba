"""A lower bound on epsilon from a single training run, by guessing which planted examples took part.

Each of m canaries is put into the training data or left out by its own fair coin, all in one run (Steinke, Nasr and
Jagielski, 2023). From the result alone the auditor guesses for some canaries whether they were in.

If training is (epsilon, 0)-private for adding or removing one canary, no guess can be right with a chance above
q = e^epsilon / (1 + e^epsilon), whatever the other coins showed and whatever was guessed before; so the number of
right guesses among r is at most as large as a Binomial(r, q). If it is (epsilon, delta)-private, a canary may on top
give itself away; the number F of those has a mean of at most 2 m delta, hence

    P(right >= v) <= P(B >= v) + 2 m delta · max_i P(v - i <= B < v) / i,        B ~ Binomial(r, q),

because among all F with that mean the most damage is done by one that is either 0 or one size i. An epsilon for which
what was seen is less likely than 1 - confidence is refuted, and with it every smaller one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import binom

from medveil.stats.estimate import Estimate
from medveil.stats.shares import exact_interval

GUESSED = (1.0, 0.25, 0.0625)  # shares of the canaries guessed: all, or only the ones the auditor is surest of
MOST = 50.0  # an epsilon that promises nothing


@dataclass(frozen=True)
class PrivacyAudit:
    """What an auditor proved about a training run: its epsilon is at least `lower`, with this confidence."""

    lower: float
    confidence: float
    delta: float
    canaries: int
    guesses: int  # of these canaries the membership was guessed
    correct: int
    most: float  # what it would have proved had every guess been right: no audit of this size can refute more

    @property
    def accuracy(self) -> Estimate:
        """The share of right guesses where they proved most, with an exact interval."""
        value = self.correct / self.guesses
        low, high = exact_interval(value, self.guesses)
        sd = math.sqrt(value * (1 - value) / self.guesses)
        return Estimate(value, sd, low, high, self.guesses, self.guesses, unit="canary", chance=0.5, bounds=True)

    @property
    def sentence(self) -> str:
        return (
            f"{self.correct:,} of {self.guesses:,} guesses were right, which proves ε to be at least {self.lower:.2f}"
            f" ({self.confidence:.0%} sure); the most it could have proved is {self.most:.2f}."
        )

    def refutes(self, epsilon: float) -> bool:
        """Whether a claimed epsilon is smaller than what was proved."""
        return self.lower > epsilon

    def could_refute(self, epsilon: float) -> bool:
        """Whether it was large enough to find out a claim that is too small, had there been anything to see."""
        return self.most > epsilon

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "accuracy": self.accuracy.to_json()}


def audit_one_run(
    scores: NDArray[np.float64],
    included: NDArray[np.bool_],
    *,
    delta: float,
    confidence: float = 0.95,
    guessed: Sequence[float] = GUESSED,
) -> PrivacyAudit:
    """The best lower bound over several numbers of guesses, each held to its part of the allowed error.

    `scores` are high for canaries the auditor believes were in; they may depend on everything but the coins. The
    highest are guessed in, the lowest out, half of the guesses each.
    """
    m = len(scores)
    if len(included) != m or m < 2:
        raise ValueError("an audit needs at least two canaries and a coin for each")
    if 2 * m * delta >= 1:
        raise ValueError("with so many canaries this delta could explain anything; use fewer canaries")
    order = np.argsort(scores, kind="stable")
    error = (1 - confidence) / len(guessed)
    found, most = [], 0.0
    for share in guessed:
        half = max(1, int(share * m) // 2)
        correct = int((~included[order[:half]]).sum() + included[order[m - half :]].sum())
        found.append((epsilon_bound(m, 2 * half, correct, delta=delta, error=error), 2 * half, correct))
        most = max(most, epsilon_bound(m, 2 * half, 2 * half, delta=delta, error=error))
    lower, guesses, correct = max(found, key=lambda bound: bound[0])
    return PrivacyAudit(lower, confidence, delta, m, guesses, correct, most)


def epsilon_bound(canaries: int, guesses: int, correct: int, *, delta: float, error: float) -> float:
    """The least epsilon that what was seen does not refute at this error; 0 where nothing is refuted."""

    def excess(epsilon: float) -> float:
        return p_value(canaries, guesses, correct, epsilon=epsilon, delta=delta) - error

    if excess(0.0) >= 0:
        return 0.0
    return float(brentq(excess, 0.0, MOST, xtol=1e-6)) if excess(MOST) > 0 else MOST


def p_value(canaries: int, guesses: int, correct: int, *, epsilon: float, delta: float) -> float:
    """The most likely that so many right guesses can be, of an (epsilon, delta)-private training."""
    q = 1 / (1 + math.exp(-epsilon))
    tail = float(binom.sf(correct - 1, guesses, q))
    if delta == 0 or correct == 0:
        return tail
    fewer = np.arange(1, correct + 1)
    within = binom.cdf(correct - 1, guesses, q) - binom.cdf(correct - 1 - fewer, guesses, q)
    given_away = float((within / fewer).max())
    return min(1.0, tail + 2 * canaries * delta * given_away)
