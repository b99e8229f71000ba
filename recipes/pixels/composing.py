"""Sheets of text laid over radiographs, in batches on the device, with all that happens to an image on its way."""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

CELL = 4


class Composer:
    """Radiographs on the device by size, and the text written over random parts of them."""

    def __init__(
        self, images: list[NDArray[np.uint8]], unsure: list[NDArray[np.uint8]], *, device: str, seed: int
    ) -> None:
        self.random = torch.Generator(device).manual_seed(seed)
        self.device = device
        sizes = sorted({image.shape for image in images})
        self.groups = []
        for size in sizes:
            rows = [k for k, image in enumerate(images) if image.shape == size]
            kept = [torch.from_numpy(np.stack([kind[k] for k in rows])).to(device) for kind in (images, unsure)]
            self.groups.append((kept[0], kept[1]))
        self.shares = [len(pictures) / len(images) for pictures, _ in self.groups]

    def __call__(self, layers: Tensor) -> tuple[Tensor, Tensor]:
        """Images in [0, 1], and at the maps' size the places that may hold unknown text."""
        count, _, size, _ = layers.shape
        image, unsure = self._background(count, size)
        shape, shape_tone, plate, ink, tone = (layers[:, k : k + 1].float() / 255 for k in range(5))
        image = image + (shape_tone - image) * shape
        image = torch.where(plate > 0, plate * 255 / 254, image)
        least = self._uniform(count, 0.07, 0.35)
        image = image + (self._readable(image, tone, least) - image) * ink
        image = self._worn(image, least)
        covered = (plate + ink > 0).float()
        unsure = functional.max_pool2d(unsure * (1 - covered), CELL)[:, 0]
        return image, (unsure > 0.5).float()

    def _uniform(self, count: int, low: float, high: float) -> Tensor:
        return low + (high - low) * torch.rand(count, 1, 1, 1, generator=self.random, device=self.device)

    def _chance(self, count: int, share: float) -> Tensor:
        return torch.rand(count, 1, 1, 1, generator=self.random, device=self.device) < share

    def _background(self, count: int, size: int) -> tuple[Tensor, Tensor]:
        image = torch.zeros(count, 1, size, size, device=self.device)
        unsure = torch.zeros_like(image)
        split = [0, *(round(sum(self.shares[: k + 1]) * count) for k in range(len(self.shares)))]
        for (pictures, masks), start, stop in zip(self.groups, split, split[1:], strict=False):
            n = stop - start
            if n <= 0:
                continue
            rows = torch.randint(len(pictures), (n,), generator=self.random, device=self.device)
            grid = self._grid(n, size, pictures.shape[-1])
            image[start:stop] = functional.grid_sample(pictures[rows, None].float() / 255, grid, align_corners=False)
            unsure[start:stop] = functional.grid_sample(
                masks[rows, None].float() / 255, grid, mode="nearest", align_corners=False
            )
        flat = self._chance(count, 0.08)
        slope = torch.linspace(-0.5, 0.5, size, device=self.device)[None, None, None, :] * self._uniform(
            count, -0.5, 0.5
        )
        image = torch.where(flat, (self._uniform(count, 0, 1) + slope).clamp(0, 1).expand_as(image), image)
        unsure = torch.where(flat, torch.zeros_like(unsure), unsure)
        image = image.clamp(1e-4, 1) ** torch.exp(self._uniform(count, -0.6, 0.6))
        low, high = self._uniform(count, 0, 0.35), self._uniform(count, 0.55, 1)
        dull = self._chance(count, 0.5)
        image = torch.where(dull, low + (high - low) * image, image)
        image = torch.where(self._chance(count, 0.2), 1 - image, image)
        return self._grainy(image), unsure

    def _grid(self, count: int, size: int, source: int) -> Tensor:
        """A window of the source, zoomed, turned a little, mirrored now and then; often over a border."""
        zoom = torch.exp(self._uniform(count, math.log(0.7), math.log(3.0))).flatten() * size / source
        angle = self._uniform(count, -0.2, 0.2).flatten()
        mirror = torch.where(self._chance(count, 0.5).flatten(), -1.0, 1.0)
        reach = (1.1 - 1 / zoom).clamp(min=0.1)
        shift = (torch.rand(count, 2, generator=self.random, device=self.device) * 2 - 1) * reach[:, None]
        cos, sin = torch.cos(angle) / zoom, torch.sin(angle) / zoom
        turn = torch.stack([mirror * cos, -sin, shift[:, 0], mirror * sin, cos, shift[:, 1]], dim=1).view(count, 2, 3)
        return functional.affine_grid(turn, [count, 1, size, size], align_corners=False)

    def _grainy(self, image: Tensor) -> Tensor:
        count = len(image)
        noise = torch.randn(image.shape, generator=self.random, device=self.device)
        coarse = functional.avg_pool2d(noise, 3, 1, 1) * 2
        noise = torch.where(self._chance(count, 0.5), coarse, noise)
        strength = self._uniform(count, 0, 1) ** 2 * 0.05
        sharp = image + (image - functional.avg_pool2d(image, 5, 1, 2)) * self._uniform(count, 0, 1.5)
        return (torch.where(self._chance(count, 0.4), sharp, image) + noise * strength).clamp(0, 1)

    def _readable(self, image: Tensor, tone: Tensor, least: Tensor) -> Tensor:
        """Ink that would vanish in what lies under it is made lighter or darker until it shows."""
        under = functional.avg_pool2d(functional.pad(image, (15, 15, 15, 15), mode="replicate"), 31, 1)
        away = torch.where(tone >= 0.5, 1.0, -1.0)
        away = torch.where((under + away * least).clamp(0, 1) - under == away * least, away, -away)
        return torch.where((tone - under).abs() >= least, tone, (under + away * least).clamp(0, 1))

    def _worn(self, image: Tensor, least: Tensor) -> Tensor:
        """Smoothed, compressed, noisy: as the file was handed on."""
        count = len(image)
        smooth = functional.avg_pool2d(functional.pad(image, (1, 1, 1, 1), mode="replicate"), 3, 1)
        image = torch.lerp(image, smooth, torch.where(self._chance(count, 0.25), self._uniform(count, 0.2, 0.9), 0.0))
        image = torch.where(self._chance(count, 0.3), self._compressed(image), image)
        noise = torch.randn(image.shape, generator=self.random, device=self.device)
        return (image + noise * torch.where(self._chance(count, 0.3), 0.12 * least, 0.0)).clamp(0, 1)

    def _compressed(self, image: Tensor) -> Tensor:
        """The loss of JPEG: blocks of eight, cosine transform, coarser steps for finer waves."""
        count, _, rows, columns = image.shape
        k = torch.arange(8, device=self.device, dtype=torch.float32)
        waves = torch.cos((2 * k[None] + 1) * k[:, None] * math.pi / 16) * 0.5
        waves[0] *= math.sqrt(0.5)
        steps = (10 + 5 * (k[None] + k[:, None])) * self._uniform(count, 0.2, 2.5)[:, :, :, :, None]
        blocks = (image * 255).view(count, rows // 8, 8, columns // 8, 8).permute(0, 1, 3, 2, 4)
        values = torch.round(waves @ blocks @ waves.T / steps) * steps
        return (waves.T @ values @ waves).permute(0, 1, 3, 2, 4).reshape(image.shape).clamp(0, 255) / 255
