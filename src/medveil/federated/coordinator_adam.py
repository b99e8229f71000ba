"""AdamW at the coordinator, on the mean of the sites' gradients: the step that pooled data would take.

AdamW divides each number of a gradient by its usual size. Where every site does so by itself and begins anew each
round, it knows no usual size: its first step is the gradient's signs alone, which say more of chance than of the films,
and their mean is not what pooled films would give. Here sites step along their gradients; the mean of those is the
gradient of everybody's films, and one memory over all rounds divides it (FedAdam, Reddi et al., 2021). With one step a
round that is AdamW on pooled films, each batch with its share of every site. What a finding's head, or the text
encoder, gets from the few sites that know something of it is not thinned out by those that do not: its usual size is
smaller in proportion. The coordinator sees the mean and nothing more for it, so it costs no privacy and goes with
secure sums.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from medveil.federated.recipe import Recipe

Arrays = list[NDArray[np.float32]]
BETAS = (0.9, 0.99)
TINY = 1e-8
RISE = 10  # rounds in which the rate rises: the first ones know little of usual sizes


def adam_step(
    shared: Sequence[NDArray[np.float32]],
    memory: Sequence[NDArray[np.float32]],
    update: Sequence[NDArray[np.float32]],
    recipe: Recipe,
) -> tuple[Arrays, Arrays]:
    """The next shared weights, and the memory: mean gradients, mean squares, and how many rounds they are of."""
    size = len(shared)
    kept = list(memory) or [*(np.zeros_like(part) for part in [*shared, *shared]), np.zeros(1, np.float32)]
    means, squares, rounds = kept[:size], kept[size:-1], int(kept[-1][0]) + 1
    rate = recipe.rate(rounds) * min(1.0, rounds / RISE)
    first, second = BETAS
    moved: Arrays = []
    for place, (part, change) in enumerate(zip(shared, update, strict=True)):
        gradient = change / np.float32(-recipe.site_rate * recipe.local_steps)
        means[place] = (first * means[place] + (1 - first) * gradient).astype(np.float32)
        squares[place] = (second * squares[place] + (1 - second) * gradient**2).astype(np.float32)
        usual = np.sqrt(squares[place] / (1 - second**rounds)) + TINY
        away = rate * (means[place] / (1 - first**rounds) / usual + recipe.weight_decay * part)
        moved.append((part - away).astype(np.float32))
    return moved, [*means, *squares, np.array([rounds], np.float32)]
