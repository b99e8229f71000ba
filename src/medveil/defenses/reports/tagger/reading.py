"""The network at work rather than in training: the same sums with fewer copies, a third faster on one core."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from medveil.defenses.reports.tagger.network import LightMixing, Mixing, TaggerNetwork


def read(network: TaggerNetwork, vectors: Tensor, gaps: Tensor, present: Tensor) -> Tensor:
    """What `network(vectors, gaps, present)` says, for one row of words; without gradients."""
    present = present.unsqueeze(-1)
    x = (vectors + network.gaps(gaps)).mul_(present)
    for layer in network.layers:
        if isinstance(layer, Mixing):
            x = _mixed(layer, x, present)
        elif isinstance(layer, LightMixing):
            x = _lightly_mixed(layer, x, present)
    said: Tensor = network.out(network.norm(x))
    return said


def _mixed(layer: Mixing, x: Tensor, present: Tensor) -> Tensor:
    length, width = x.shape
    padded = _padded(layer.norm(x), present, layer.apart)
    parts = torch.split(layer.mix.weight.t(), width)
    mixed = torch.addmm(layer.mix.bias, padded[:length], parts[0])
    for place in (1, 2):
        mixed.addmm_(padded[place * layer.apart : place * layer.apart + length], parts[place])
    return functional.glu(mixed, -1).add_(x)


def _lightly_mixed(layer: LightMixing, x: Tensor, present: Tensor) -> Tensor:
    length = len(x)
    padded = _padded(layer.norm(x), present, 2 * layer.apart)
    mixed = padded[:length] * layer.weights[0]
    for place in range(1, 5):
        mixed.addcmul_(padded[place * layer.apart : place * layer.apart + length], layer.weights[place])
    return functional.glu(layer.mix(mixed), -1).add_(x)


def _padded(x: Tensor, present: Tensor, margin: int) -> Tensor:
    padded = x.new_empty(len(x) + 2 * margin, x.shape[1])
    padded[:margin] = 0
    padded[-margin:] = 0
    torch.mul(x, present, out=padded[margin:-margin])
    return padded
