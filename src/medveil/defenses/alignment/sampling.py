"""Who takes part in a step: Poisson sampling of units, as the accountant assumes.

Every unit takes part in every step with the same probability, whoever else does. Batches cut from a shuffled list are
something else, and the accountant's numbers would not hold for them.

All randomness of a step, sampling and noise, comes from the seed and the step's number alone, so that a run that was
killed goes on as if it had not been. The guarantee needs the seed to be secret: who knows it can take the noise off.
It is therefore drawn from the operating system unless the caller gives one (for tests and for repeating a study), it
is never written where others read, and is forgotten when the run is done.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Units:
    """The units of a data set and their rows: every pair its own, or all pairs of a patient together."""

    order: Rows  # rows, unit by unit
    starts: Rows  # where each unit starts in `order`, and the end

    @classmethod
    def of(cls, codes: NDArray[np.integer]) -> Units:
        """Rows with the same code are one unit."""
        order = np.argsort(codes, kind="stable")
        borders = np.flatnonzero(np.diff(codes[order])) + 1
        ends = np.concatenate([[0], borders, [len(codes)]]) if len(codes) else np.zeros(1)
        return cls(order, ends.astype(np.intp))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def largest(self) -> int:
        """Pairs of the unit that has the most."""
        return int(np.diff(self.starts).max(initial=0))

    def rows(self, chosen: Rows) -> tuple[Rows, Rows]:
        """The rows of the chosen units, and for each row its unit's place among them."""
        counts = self.starts[chosen + 1] - self.starts[chosen]
        places = np.repeat(np.arange(len(chosen)), counts)
        within = np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.order[np.repeat(self.starts[chosen], counts) + within], places


def poisson_sample(count: int, probability: float, rng: np.random.Generator) -> Rows:
    """Each of `count` units with the same probability, independently, in random or any order.

    How many take part is binomial, and given how many, all choices are alike: drawing these two is the same as a coin
    for every unit, at the cost of the batch instead of the data set.
    """
    taking_part = rng.binomial(count, probability)
    return np.sort(rng.choice(count, taking_part, replace=False, shuffle=False)).astype(np.intp)


@dataclass(frozen=True)
class StepRandomness:
    """The generator of every step, from one seed."""

    seed: int

    @classmethod
    def secret(cls) -> StepRandomness:
        """A seed nobody knows."""
        return cls(secrets.randbits(128))

    def of(self, step: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(step,)))
