"""The gradient of one training step, for each way of training, and AdamW over such steps.

A step is a function of its number, of the seed and of the current heads; it keeps nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from medveil.defenses.alignment.feature_pairs import Pairs
from medveil.defenses.alignment.gradients import clipped_sum
from medveil.defenses.alignment.heads import Heads
from medveil.defenses.alignment.losses import BatchInfoNCE, EntropyInfoNCE, GroupInfoNCE, Loss, PublicNegatives
from medveil.defenses.alignment.sampling import StepRandomness, Units, poisson_sample
from medveil.defenses.alignment.settings import Settings, Variant
from medveil.runtime.threads import one_torch_thread

Step = Callable[[int], list[Tensor]]


def sampling_probability(pairs: int, settings: Settings) -> float:
    """A unit's probability to take part in a step, so that `batch` pairs are expected."""
    return min(1.0, settings.batch / pairs)


def sampled_steps(pairs: int, settings: Settings) -> int:
    """Steps in which as many pairs are expected as the epochs hold."""
    return max(1, int(settings.epochs / sampling_probability(pairs, settings)))


@dataclass(frozen=True)
class SampledStep:
    """Poisson sample, clipped gradients, noise: DP-SGD's step. The noise is added to an empty sample too."""

    heads: Heads
    pairs: Pairs
    units: Units
    public: Pairs | None
    variant: Variant
    settings: Settings
    noise: float  # multiplier; 0 for none
    randomness: StepRandomness

    @property
    def sampling(self) -> float:
        return sampling_probability(len(self.pairs), self.settings)

    @property
    def groups(self) -> int:
        """Fixed beforehand: a number that followed the sample would couple its units."""
        return max(1, round(self.settings.batch / self.settings.group_size))

    @property
    def sensitivity(self) -> float:
        """What one unit changes in the sum at most, by the argument beside the loss (nominal: by assumption)."""
        return self.settings.clip * (2 if self.variant == "dp-groups" else 1)

    def __call__(self, step: int) -> list[Tensor]:
        expected = self.groups if self.variant == "dp-groups" else self.sampling * len(self.units)
        return [(part / expected).float() for part in self.noisy_sum(step)]

    def noisy_sum(self, step: int) -> list[Tensor]:
        """What a step publishes, as the accountant sees it: all that follows is made of it."""
        rng = self.randomness.of(step)
        chosen = poisson_sample(len(self.units), self.sampling, rng)
        rows, places = self.units.rows(chosen)
        clipped_together = torch.from_numpy(places)
        if self.variant == "dp-groups":
            drawn = rng.integers(self.groups, size=len(chosen))[places]
            clipped_together = torch.from_numpy(np.unique(drawn, return_inverse=True)[1])
        loss = self.loss(rng, clipped_together)
        sums = clipped_sum(self.heads, loss, *self.pairs.take(rows), clipped_together, self.settings.clip)
        return self._noisy(sums, rng)

    def loss(self, rng: np.random.Generator, groups: Tensor) -> Loss:
        match self.variant:
            case "dp-groups":
                return GroupInfoNCE(groups, self.settings.temperature)
            case "dp-nominal":
                return BatchInfoNCE(self.settings.temperature)
        assert self.public is not None
        return public_negatives(self.heads, self.public, self.settings, rng)

    def _noisy(self, sums: list[Tensor], rng: np.random.Generator) -> list[Tensor]:
        if not self.noise:
            return sums
        noise = _normal(sum(part.numel() for part in sums), rng).mul_(self.noise * self.sensitivity)
        parts = torch.split(noise, [part.numel() for part in sums])
        return [part + more.view_as(part) for part, more in zip(sums, parts, strict=True)]


def _normal(count: int, rng: np.random.Generator) -> Tensor:
    """From numpy: torch's generator keeps 32 bits of a seed, few enough to try them all. In double precision, as the
    sum is: coarse noise would show the sum between its steps."""
    return torch.from_numpy(rng.standard_normal(count))


def public_negatives(heads: Heads, public: Pairs, settings: Settings, rng: np.random.Generator) -> PublicNegatives:
    """Public pairs, as many as asked for, through the current heads."""
    rows = rng.choice(len(public), min(settings.negatives, len(public)), replace=False, shuffle=False)
    with torch.no_grad():
        images, reports = public.take(rows.astype(np.intp))
        return PublicNegatives(
            functional.normalize(heads.image(images), dim=1),
            functional.normalize(heads.report(reports), dim=1),
            settings.temperature,
        )


@dataclass(frozen=True)
class EntropyStep:
    """Shuffled batches and the entropy loss, without privacy. The last batch of an epoch may be smaller."""

    heads: Heads
    pairs: Pairs
    settings: Settings
    randomness: StepRandomness

    @property
    def batches(self) -> int:
        return -(-len(self.pairs) // self.settings.batch)

    def __call__(self, step: int) -> list[Tensor]:
        epoch, number = divmod(step, self.batches)
        order: NDArray[np.intp] = self.randomness.of(epoch).permutation(len(self.pairs))
        rows = order[number * self.settings.batch : (number + 1) * self.settings.batch]
        images, reports = self.pairs.take(rows)
        loss = EntropyInfoNCE(self.settings.temperature, self.settings.entropy_weight)
        units = torch.arange(len(rows))
        return [part / len(rows) for part in clipped_sum(self.heads, loss, images, reports, units, None)]


def optimiser_of(heads: Heads, settings: Settings) -> torch.optim.Optimizer:
    """AdamW with the run's settings; the noise has been added when it sees a gradient."""
    return torch.optim.AdamW(
        heads.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay, fused=True
    )


def optimise(
    heads: Heads,
    optimiser: torch.optim.Optimizer,
    step: Step,
    numbers: range,
    after: Callable[[int], None] = lambda number: None,
) -> None:
    """Take the steps of these numbers, telling `after` each how many have been taken in all."""
    parameters = list(heads.parameters())
    with one_torch_thread():
        for number in numbers:
            for parameter, gradient in zip(parameters, step(number), strict=True):
                parameter.grad = gradient
            optimiser.step()
            after(number + 1)
