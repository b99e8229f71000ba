"""AdamW over steps that compute their own gradients."""

from __future__ import annotations

from collections.abc import Callable

import torch

from medveil.defenses.alignment.heads import Heads
from medveil.defenses.alignment.settings import Settings
from medveil.defenses.alignment.steps import Step
from medveil.runtime.workers import one_torch_thread


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
