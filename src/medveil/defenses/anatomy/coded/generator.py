"""From a code and fresh randomness to a film: a small latent diffusion model that is walked in a few steps.

Nothing of the original reaches the generator but the code: `Generator.draw` takes integers and random generators.
The network is MONAI's DiffusionModelUNet; it predicts the direction from a film's latents to noise (rectified flow), so
that a few straight steps lead from noise to a film.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from medveil.defenses.anatomy.coded.codebook import Codebook
from medveil.defenses.anatomy.latents import CHANNELS, SIDE, Autoencoder, Latents
from medveil.runtime.compiled import Compiled, compiled
from medveil.training.device import placed

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float32]
TOGETHER = 64  # films at a time where an accelerator draws; always as many, so that company changes nothing
_TIME = 1000.0  # the network's own measure of time


@dataclass(frozen=True)
class Shape:
    """What must be known to build the network before its weights are loaded."""

    channels: tuple[int, ...] = (64, 96, 120)
    head: int = 24  # channels of an attention head
    groups: int = 8
    inner: int = 128  # of the condition's own two layers
    steps: int = 8


class Sampler(nn.Module):
    """Noise (n × 4 × 32 × 32) and what a code stands for (n × 1 + fields) to the latents of a film."""

    shift: Tensor
    scale: Tensor

    def __init__(self, shape: Shape, fields: int) -> None:
        from monai.networks.nets.diffusion_model_unet import DiffusionModelUNet  # seconds: not before it is needed

        super().__init__()
        self.shape = shape
        network: Any = DiffusionModelUNet
        self.unet: Any = network(
            spatial_dims=2,
            in_channels=CHANNELS,
            out_channels=CHANNELS,
            num_res_blocks=(1,) * len(shape.channels),
            channels=shape.channels,
            attention_levels=(False, *(True,) * (len(shape.channels) - 1)),
            norm_num_groups=shape.groups,
            num_head_channels=shape.head,
            num_class_embeds=1,
        )
        # in place of a table of classes: the condition is a vector
        self.unet.class_embedding = nn.Sequential(
            nn.Linear(1 + fields, shape.inner), nn.SiLU(), nn.Linear(shape.inner, 4 * shape.channels[0])
        )
        self.register_buffer("shift", torch.zeros(fields))
        self.register_buffer("scale", torch.ones(fields))

    def velocity(self, latents: Tensor, time: Tensor, condition: Tensor) -> Tensor:
        """Where noise lies from here; `time` (n) is 1 at the noise and 0 at the film."""
        fields = (condition[:, 1:] - self.shift) / self.scale
        given = torch.cat([condition[:, :1] * 2 - 1, fields], 1)
        direction: Tensor = self.unet(latents, time * _TIME, class_labels=given)
        return direction

    def forward(self, noise: Tensor, condition: Tensor, steps: int | None = None) -> Tensor:
        latents = noise
        for time, step in walk(steps or self.shape.steps):
            latents = latents - step * self.velocity(latents, latents.new_full((len(latents),), time), condition)
        return latents


def walk(steps: int) -> list[tuple[float, float]]:
    """When each step begins and how far it goes, from 1 to 0."""
    return [(1 - number / steps, 1 / steps) for number in range(steps)]


class _Step(nn.Module):
    """One look of the network, with time, condition and latents side by side in one row: as the compiler takes it."""

    def __init__(self, sampler: Sampler, fields: int) -> None:
        super().__init__()
        self.sampler = sampler
        self.fields = fields

    def forward(self, row: Tensor) -> Tensor:
        time, condition, rest = row[:, 0], row[:, 1 : 2 + self.fields], row[:, 2 + self.fields :]
        return self.sampler.velocity(rest.reshape(-1, CHANNELS, SIDE, SIDE), time, condition)


class Generator:
    """Draws films. All it is ever given of an original is its code."""

    def __init__(self, sampler: Sampler, autoencoder: Autoencoder, codebook: Codebook, *, device: str = "cpu") -> None:
        self._sampler = placed(sampler.eval().requires_grad_(False), device)
        self._codebook = codebook
        self._device = device
        self._latents = Latents(autoencoder, device=device)
        self._look: Compiled | None = None

    def draw(
        self, codes: Sequence[int], bits: int, chance: Sequence[np.random.Generator], *, steps: int | None = None
    ) -> list[Pixels]:
        """A film of each code of so many bits; the same generators give the same films, in whatever company. Drawn in
        as many steps as the sampler learned to walk, unless told otherwise."""
        made: list[Pixels] = []
        together = 1 if torch.device(self._device).type == "cpu" else TOGETHER
        for start in range(0, len(codes), together):
            noise = [
                one.standard_normal((CHANNELS, SIDE, SIDE), np.float32) for one in chance[start : start + together]
            ]
            meant = [self._meant(code, bits) for code in codes[start : start + together]]
            spare = together - len(meant)
            latents = self._walked(np.stack(noise + noise[-1:] * spare), np.stack(meant + meant[-1:] * spare), steps)
            made.extend(self._latents.decode(latents)[: len(meant)])
        return made

    def _meant(self, code: int, bits: int) -> Floats:
        mean, drawn = self._codebook.meaning(int(code), bits)
        return np.concatenate([[np.float32(drawn)], mean])

    def _walked(self, noise: Floats, condition: Floats, steps: int | None) -> Floats:
        if torch.device(self._device).type != "cpu":
            with torch.inference_mode():
                given = (torch.from_numpy(one).to(self._device) for one in (noise, condition))
                return np.asarray(self._sampler(*given, steps).cpu())
        for time, step in walk(steps or self._sampler.shape.steps):
            row = np.concatenate([[[np.float32(time)]], condition, noise.reshape(1, -1)], 1).astype(np.float32)
            noise = noise - np.float32(step) * self._compiled(row)(row)
        return noise

    def _compiled(self, row: Floats) -> Compiled:
        if self._look is None:
            network = _Step(self._sampler, len(self._codebook.fields))
            self._look = compiled(network, torch.from_numpy(row), varying=(), threads=torch.get_num_threads())
        return self._look
