"""A model in two: the frozen networks up to its projection heads, and the heads, which alone are trained to protect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from torch import nn

from medveil.encoders.encoder import Encoder


@dataclass(frozen=True)
class Headless:
    """`images` turns images and `reports` turns texts into features, each of its own `dim` and as long as they come.

    A head of the features, brought to unit length, is the vector the whole model returns. Where it is not (see
    `biovil_t`), `released` is the whole model, whose vectors are what others get.
    """

    images: Encoder
    reports: Encoder
    image_head: nn.Module
    report_head: nn.Module
    released: Encoder | None = None


@runtime_checkable
class Headed(Protocol):
    """An encoder that tells its frozen networks from the projection heads behind them."""

    def headless(self) -> Headless: ...


def headless(encoder: Encoder) -> Headless:
    """The encoder without its heads, as far as it knows them."""
    return encoder.headless() if isinstance(encoder, Headed) else with_identity_heads(encoder)


def with_identity_heads(encoder: Encoder) -> Headless:
    """Of a model whose heads are not known: its own vectors are the features, and the heads at first change nothing."""
    return Headless(encoder, encoder, _identity(encoder.dim), _identity(encoder.dim))


def _identity(dim: int) -> nn.Linear:
    layer = nn.Linear(dim, dim, bias=False)
    with torch.no_grad():
        layer.weight.copy_(torch.eye(dim))
    return layer
