"""The network at work rather than in training: the same sums with fewer copies, and none of them twice.

The first layer takes three words, each by itself, before it adds them up: what it takes from a word is remembered with
the word (see `word_cache`), and a third of all multiplications with it.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from medveil.defenses.reports.tagger.network import LightMixing, Mixing, TaggerNetwork


def taken_from(layer: Mixing, x: Tensor) -> Tensor:
    """What the layer's sum takes from each word, standing before, at and after the place: 3 × words × features."""
    parts = layer.mix.weight.view(-1, 3, x.shape[-1]).permute(1, 2, 0)
    taken = torch.matmul(layer.norm(x), parts)
    taken[1] += layer.mix.bias
    return taken


def infer(network: TaggerNetwork, x: Tensor, taken: Tensor, rows: Tensor) -> Tensor:
    """What the network says of words, by their rows in `x` and `taken`; row 0 is no word.

    `rows` is words × texts: one text's next word stands as many places further as there are texts beside each other.
    """
    beside, words = rows.shape[1], rows.flatten()
    present = (words > 0).float().unsqueeze(-1)
    first, *others = network.layers
    assert isinstance(first, Mixing)
    x = _first_mixed(x.index_select(0, words), taken, words, first.apart * beside)
    for layer in others:
        if isinstance(layer, Mixing):
            x = _mixed(layer, x, present, layer.apart * beside)
        elif isinstance(layer, LightMixing):
            x = _lightly_mixed(layer, x, present, layer.apart * beside)
    said: Tensor = network.out(network.norm(x))
    return said.view(*rows.shape, -1)


def _first_mixed(x: Tensor, taken: Tensor, words: Tensor, apart: int) -> Tensor:
    padded = functional.pad(words, (apart, apart))
    three = torch.stack([padded[place * apart : place * apart + len(words)] for place in range(3)], 1)
    three += taken.shape[1] * torch.arange(3)
    return functional.glu(functional.embedding_bag(three, taken.flatten(0, 1), mode="sum"), -1).add_(x)


def _mixed(layer: Mixing, x: Tensor, present: Tensor, apart: int) -> Tensor:
    normed = layer.norm(x).mul_(present)
    before, at, after = torch.split(layer.mix.weight.t(), x.shape[1])
    mixed = torch.addmm(layer.mix.bias, normed, at)
    mixed[apart:].addmm_(normed[:-apart], before)
    mixed[:-apart].addmm_(normed[apart:], after)
    return functional.glu(mixed, -1).add_(x)


def _lightly_mixed(layer: LightMixing, x: Tensor, present: Tensor, apart: int) -> Tensor:
    normed = layer.norm(x).mul_(present)
    mixed = normed * layer.weights[2]
    for step in (1, 2):
        far = step * apart
        mixed[far:].addcmul_(normed[:-far], layer.weights[2 - step])
        mixed[:-far].addcmul_(normed[far:], layer.weights[2 + step])
    return functional.glu(layer.mix(mixed), -1).add_(x)
