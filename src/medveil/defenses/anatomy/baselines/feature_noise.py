"""`FeatureNoise`: Gaussian noise in the latents of an autoencoder (Feat-Noise)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from torch import Tensor

from medveil.defenses.anatomy.batches import Chance, in_batches, normal
from medveil.defenses.anatomy.latents import load_autoencoder
from medveil.defenses.anatomy.method import Film, Pixels
from medveil.errors import SettingsError
from medveil.parts import Guarantee
from medveil.training.device import placed


class FeatureNoise:
    """Replaces part of each latent by noise, so that its spread stays: √(1 − level²) z + level · noise.

    A photograph in colour goes through plane by plane. `weights` is another autoencoder.
    """

    name = "feature-noise"
    title = "Feat-Noise"
    unit = "standard deviation of the noise, of what the latents have"
    levels = (0.1, 0.8, 0.85, 0.9, 0.95)

    def __init__(self, *, weights: Path | None = None, device: str = "cpu") -> None:
        self._device = device
        self._autoencoder = placed(load_autoencoder(weights), device)

    def bits(self, level: float) -> None:
        return None

    def guarantee(self, level: float) -> Guarantee:
        return Guarantee("none", "latents are not bounded, so noise of this size is no differential privacy")

    def protect(self, films: Sequence[Film], level: float, chance: Sequence[np.random.Generator]) -> list[Pixels]:
        if not 0 <= level <= 1:
            raise SettingsError("Feat-Noise takes a level from 0, nothing, to 1, noise alone")

        def disturb(images: Tensor, luck: Chance) -> Tensor:
            planes = images.flatten(0, 1).unsqueeze(1)
            latents = self._autoencoder.encode(planes)
            noise = normal(luck, (images.shape[1], *latents.shape[1:]), images.device).flatten(0, 1)
            return self._autoencoder.decode((1 - level**2) ** 0.5 * latents + level * noise).view_as(images)

        return in_batches(films, chance, disturb, device=self._device, colour=True)
