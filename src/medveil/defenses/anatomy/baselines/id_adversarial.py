"""`IdAdversarial`: a network repaints the film so that a recogniser no longer finds its patient (ID-Adv).

It learns L = λ cos(id_X, id_Y) + ‖med_X − med_Y‖ + L_reg: away from the identity, near the findings' features, and
plausible to a discriminator. The recogniser is fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from medveil.defenses.anatomy.baselines.film_unet import FilmUNet, load_unet
from medveil.defenses.anatomy.batches import Chance, in_batches
from medveil.defenses.anatomy.method import Film, Pixels
from medveil.parts import Guarantee
from medveil.training.device import placed

NAME = "id-adversarial"


class IdAdversarial:
    """Repaints gray films; nothing in it is random."""

    name = NAME
    title = "ID-Adv"
    unit = "weight of the identity in the loss"
    levels: tuple[float, ...] = (0.1, 0.5, 1.0, 2.0)

    def __init__(self, *, weights: Path | None = None, device: str = "cpu") -> None:
        self._device = device
        self._network = placed(load_unet(weights, self.name), device)

    def bits(self, level: float) -> None:
        return None

    def guarantee(self, level: float) -> Guarantee:
        return Guarantee("none", "it misleads the recogniser it was trained against; another may not be misled")

    def protect(self, films: Sequence[Film], level: float, chance: Sequence[np.random.Generator]) -> list[Pixels]:
        def repaint(images: Tensor, _: Chance) -> Tensor:
            levels = torch.full((len(images),), level, device=images.device)
            return repainted(self._network, images, levels)

        return in_batches(films, chance, repaint, device=self._device)


def repainted(network: FilmUNet, films: Tensor, levels: Tensor) -> Tensor:
    """New films of 0..1, painted from nothing: who only adds to the old one never leaves it, for there the loss has a
    dent, where what a film means and whom it shows are both what they were."""
    return torch.sigmoid(network(films, levels).float())
