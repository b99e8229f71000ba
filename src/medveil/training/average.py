"""The average of a network's weights over the last steps: steadier than the weights themselves."""

from __future__ import annotations

import copy
from typing import TypeVar

import torch
from torch import Tensor, nn

Given = TypeVar("Given", bound=nn.Module)


def averaged(network: Given) -> Given:
    """A copy that no gradient reaches, to follow the network."""
    return copy.deepcopy(network).requires_grad_(False)


@torch.no_grad()
def follow(average: nn.Module, network: nn.Module, keep: float, *, buffers: bool = True) -> None:
    """One step: `keep` of what the average was, the rest of what the network is now.

    Buffers, the running means of normalisation, are averaged too, or else taken over as they are.
    """
    if buffers:
        old, new = _floating(average), _floating(network)
    else:
        old, new = [*average.parameters()], [*network.parameters()]
        for ours, theirs in zip(average.buffers(), network.buffers(), strict=True):
            ours.copy_(theirs)
    torch._foreach_lerp_(old, new, 1 - keep)


def warming(step: int, most: float) -> float:
    """How much to keep after so many steps: little at first, for the first weights are the worst."""
    return min(most, (1 + step) / (10 + step))


def _floating(network: nn.Module) -> list[Tensor]:
    return [value for value in network.state_dict().values() if value.is_floating_point()]
