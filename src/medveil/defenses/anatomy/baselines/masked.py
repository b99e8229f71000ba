"""`Masked`: patches chosen at random are hidden, and DCM-DeID's diffusion model fills them in (MAE)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from medveil.defenses.anatomy.batches import Chance, in_batches, uniform
from medveil.defenses.anatomy.dcm_deid.blocking import visible
from medveil.defenses.anatomy.dcm_deid.foundation import CELLS as FEATURES
from medveil.defenses.anatomy.dcm_deid.method import load_parts, remade
from medveil.defenses.anatomy.dcm_deid.recogniser import CELLS
from medveil.defenses.anatomy.method import Film, Pixels
from medveil.errors import SettingsError
from medveil.parts import Guarantee

STEPS = 8


class Masked:
    """Fills the hidden patches of gray films and leaves the others as they are. The networks are DCM-DeID's."""

    name = "mae"
    title = "MAE"
    unit = "share of the patches that is hidden"
    levels = (0.2, 0.4, 0.7, 0.95)

    def __init__(self, *, weights: Path | None = None, device: str = "cpu", autoencoder: Path | None = None) -> None:
        self._device = device
        self._parts = load_parts(weights, None, autoencoder, device)

    def bits(self, level: float) -> None:
        return None

    def guarantee(self, level: float) -> Guarantee:
        return Guarantee("none", "the patches that stay are the patient's own; nothing is promised")

    def protect(self, films: Sequence[Film], level: float, chance: Sequence[np.random.Generator]) -> list[Pixels]:
        if not 0 <= level <= 1:
            raise SettingsError("MAE hides a share of the patches, from 0 to 1")

        def fill(images: Tensor, luck: Chance) -> Tensor:
            share = torch.full((len(images),), level, device=images.device)
            shown = visible(uniform(luck, (CELLS, CELLS), images.device), share)
            nothing = images.new_zeros((len(images), self._parts.foundation.channels, FEATURES, FEATURES))
            unknown = torch.zeros(len(images), dtype=torch.bool, device=images.device)
            made = remade(self._parts, images, shown, nothing, unknown, luck, STEPS)
            mask = functional.interpolate(shown.unsqueeze(1).to(images), size=images.shape[2:], mode="nearest")
            return images * mask + made * (1 - mask)

        return in_batches(films, chance, fill, device=self._device)
