"""The weights that a network begins with, drawn from a source of its own."""

from __future__ import annotations

import math

import torch
from torch import nn


def draw_weights(network: nn.Module, seed: int) -> None:
    """Of linear layers and convolutions, as torch draws them after `manual_seed`.

    That one seeds the source of the whole process, from which other threads draw at the same time.
    """
    generator = torch.Generator().manual_seed(seed)
    for module in network.modules():
        if isinstance(module, nn.Conv2d | nn.Linear):
            nn.init.kaiming_uniform_(module.weight, a=math.sqrt(5), generator=generator)
            if module.bias is not None:
                end = 1 / math.sqrt(module.weight[0].numel())
                nn.init.uniform_(module.bias, -end, end, generator=generator)
