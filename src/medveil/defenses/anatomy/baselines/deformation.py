"""`SmoothDeformation`: the film is bent by a smooth field, as PriCheXy-Net does.

The field is drawn at random, or made by a network that learned to mislead a recogniser while the findings stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from medveil.defenses.anatomy.baselines.film_unet import FilmUNet, load_unet
from medveil.defenses.anatomy.batches import Chance, in_batches, uniform
from medveil.defenses.anatomy.method import Film, Pixels
from medveil.parts import Guarantee
from medveil.training.device import placed

NAME = "deformation"
POINTS = 5  # of a random field along each side
SPREAD = 9  # pixels: how smooth a learned field is made


class SmoothDeformation:
    """Bends films, gray or in colour. Without a trained network the field is random."""

    name = NAME
    title = "smooth deformation"
    unit = "farthest shift, of half the side"
    levels = (0.02, 0.05, 0.1, 0.2)

    def __init__(self, *, weights: Path | None = None, device: str = "cpu") -> None:
        self._device = device
        self._network = None if weights is None else placed(load_unet(weights, NAME), device)

    def bits(self, level: float) -> None:
        return None

    def guarantee(self, level: float) -> Guarantee:
        return Guarantee("none", "a bent film keeps its texture and most of its shapes; nothing is promised")

    def protect(self, films: Sequence[Film], level: float, chance: Sequence[np.random.Generator]) -> list[Pixels]:
        def bend(images: Tensor, luck: Chance) -> Tensor:
            if self._network is None:
                return bent(images, level * random_field(luck, images.shape[-1], images.device))
            gray = images.mean(1, keepdim=True)
            levels = torch.full((len(images),), level, device=images.device)
            return bent(images, learned_field(self._network, gray, levels))

        return in_batches(films, chance, bend, device=self._device, colour=True)


def random_field(chance: Chance, side: int, device: torch.device) -> Tensor:
    """n × 2 × side × side, -1..1, smooth."""
    points = 2 * uniform(chance, (2, POINTS, POINTS), device) - 1
    return functional.interpolate(points, size=(side, side), mode="bicubic", align_corners=True).clamp(-1, 1)


def learned_field(network: FilmUNet, gray: Tensor, levels: Tensor) -> Tensor:
    """What the network makes of films, smoothed, and nowhere farther than the level says."""
    raw = torch.tanh(network(gray, levels * 5).float())  # levels up to 0.2 become a plane of up to 1
    for _ in range(2):
        raw = functional.avg_pool2d(raw, SPREAD, 1, SPREAD // 2, count_include_pad=False)
    return raw * levels.view(-1, 1, 1, 1)


def bent(images: Tensor, field: Tensor) -> Tensor:
    """Every pixel taken from where the field points to, in units of half the side."""
    still = torch.eye(2, 3, device=images.device).expand(len(images), -1, -1)
    grid = functional.affine_grid(still, [len(images), 1, *images.shape[2:]], align_corners=False)
    return functional.grid_sample(images, grid + field.permute(0, 2, 3, 1), padding_mode="border", align_corners=False)
