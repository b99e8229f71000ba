"""The network at work rather than in training: the same sums with fewer copies, and none of them twice.

The first layer takes three words, each by itself, before it adds them up: what it takes from a word is remembered with
the word (see `word_memory`), and a third of all multiplications with it.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from medveil.defenses.reports.tagger.network import LightMixing, Mixing, TaggerNetwork


def taken_from(layer: Mixing, x: Tensor) -> Tensor:
    """What the layer's sum takes from each word, standing before, at and after the place: 3 × words × features."""
    parts = layer.mix.weight.view(-1, 3, x.shape[-1]).permute(1, 2, 0)
    return torch.matmul(layer.norm(x), parts)


def read(network: TaggerNetwork, x: Tensor, taken: Tensor, rows: Tensor) -> Tensor:
    """What the network says of one row of words, by their rows in `x` and `taken`; row 0 is no word."""
    present = (rows > 0).float().unsqueeze(-1)
    first, *others = network.layers
    assert isinstance(first, Mixing)
    x = _first_mixed(first, x.index_select(0, rows), taken, rows)
    for layer in others:
        if isinstance(layer, Mixing):
            x = _mixed(layer, x, present)
        elif isinstance(layer, LightMixing):
            x = _lightly_mixed(layer, x, present)
    said: Tensor = network.out(network.norm(x))
    return said


def _first_mixed(layer: Mixing, x: Tensor, taken: Tensor, rows: Tensor) -> Tensor:
    padded = functional.pad(rows, (layer.apart, layer.apart))
    mixed = taken[1].index_select(0, rows).add_(layer.mix.bias)
    mixed.add_(taken[0].index_select(0, padded[: len(rows)])).add_(taken[2].index_select(0, padded[2 * layer.apart :]))
    return functional.glu(mixed, -1).add_(x)


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
