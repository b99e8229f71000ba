"""Grad-CAM: which places of a layer speak for what a network says of two images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


@contextmanager
def watched(layer: nn.Module) -> Iterator[list[Tensor]]:
    """Within, what the layer puts out is kept and can be asked for a gradient; nothing before it can."""
    seen: list[Tensor] = []

    def keep(module: nn.Module, given: Any, output: Tensor) -> Tensor:
        seen.append(output.detach().requires_grad_(True))
        return seen[-1]

    handle = layer.register_forward_hook(keep)
    try:
        with torch.enable_grad():
            yield seen
    finally:
        handle.remove()


def heat(maps: Tensor, gradient: Tensor, side: Sequence[int]) -> Tensor:
    """One map an image, 0..1 and of the image's own size: maps weighed by how much each of them speaks for it."""
    weights = gradient.mean((2, 3), keepdim=True)
    warm = functional.relu((weights * maps).sum(1, keepdim=True))
    warm = functional.interpolate(warm.float(), size=tuple(side), mode="bilinear", align_corners=False)[:, 0]
    return warm / warm.amax((1, 2), keepdim=True).clamp(min=1e-12)
