"""From the shared weights and what the sites' updates came to, to the next shared weights.

What is remembered from round to round is a list of arrays, kept beside the weights, so that a coordinator that was
killed goes on as if it had not been.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from medveil.federated.coordinator_adam import adam_step
from medveil.federated.momentum import pushed
from medveil.federated.recipe import Recipe

Arrays = list[NDArray[np.float32]]
Given = Sequence[NDArray[np.float32]]
Step = Callable[[Given, Given, Given], tuple[Arrays, Arrays]]
"""Shared weights, memory and update to the next weights and memory; the memory is empty before the first round."""


def step_of(recipe: Recipe) -> Step:
    """As the recipe says: the update is added, with momentum or without, or is a gradient for AdamW."""
    if recipe.adam == "coordinator":
        return partial(adam_step, recipe=recipe)
    return partial(pushed, momentum=recipe.momentum)


def added(shared: Given, memory: Given, update: Given) -> tuple[Arrays, Arrays]:
    """The update as it is, and nothing is remembered."""
    return pushed(shared, memory, update, 0.0)
