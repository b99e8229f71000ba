"""Random crops of the training images, made on the device that trains, with masks as the text detector makes them:
lines of a block, boxed, widened and feathered.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from medveil.defenses.pixels.paint.training.images import TrainingImages
from medveil.errors import InputError


@dataclass(frozen=True)
class Batch:
    image: Tensor  # n x channels x size x size, -1..1
    mask: Tensor  # n x 1 x size x size, 0..1
    rows: NDArray[np.int64]


class Crops:
    """Draws batches. Some are of images shrunk by a whole number, for that is how large text is filled later."""

    def __init__(
        self,
        images: TrainingImages,
        size: int,
        shrink: tuple[int, ...],
        channels: int,
        device: str,
        *,
        validation: bool,
    ) -> None:
        found = {by: images.large_enough(size * by, validation=validation) for by in shrink}
        self._rows = {by: rows for by, rows in found.items() if len(rows)}
        if not self._rows:
            raise InputError(f"no image has {size * min(shrink)} pixels along each side; choose a smaller size")
        self.count = max(len(rows) for rows in self._rows.values())
        self._size, self._channels, self._device, self._shapes = size, channels, device, images.shapes
        self._pixels = torch.from_numpy(images.pixels).to(device)

    def draw(self, count: int, rng: np.random.Generator, *, changed: bool = True) -> Batch:
        """Crops with masks; `changed`: mirrored, turned, darker or lighter, so that few images go a long way."""
        by = int(rng.choice(list(self._rows)))
        rows = rng.choice(self._rows[by], count)
        generator = torch.Generator(self._device).manual_seed(int(rng.integers(2**62)))
        image = self._cut(rows, by, rng)
        if changed:
            image = _changed(image, rng, generator)
        mask = text_masks(count, self._size, generator)
        return Batch((2 * image - 1).expand(-1, self._channels, -1, -1), mask, rows)

    def _cut(self, rows: NDArray[np.int64], by: int, rng: np.random.Generator) -> Tensor:
        wide = self._size * by
        corner = rng.integers(0, self._shapes[rows] - wide + 1)
        place = torch.from_numpy(corner[:, :, None] + np.arange(wide)).to(self._device)
        index = torch.from_numpy(rows).to(self._device)
        cut = self._pixels[index[:, None, None], place[:, 0, :, None], place[:, 1, None, :]]
        return functional.avg_pool2d(cut[:, None].float() / 255, by)


def _changed(image: Tensor, rng: np.random.Generator, generator: torch.Generator) -> Tensor:
    flips = [axis for axis in (2, 3) if rng.random() < 0.5]
    image = image.flip(flips) if flips else image
    image = image.transpose(2, 3) if rng.random() < 0.5 else image

    def draw() -> Tensor:
        return torch.rand(len(image), 1, 1, 1, generator=generator, device=image.device)

    image = image ** torch.exp(draw() - 0.5)
    image = (image - 0.5) * (0.6 + 0.6 * draw()) + 0.5 + 0.2 * (draw() - 0.5)
    image = torch.where(draw() < 0.1, 1 - image, image)
    return image.clamp(0, 1)


Draw = Callable[..., Tensor]
LINES = 4  # in a block, at most
BLOCKS = 3
SHORTEST, TALLEST = 4.0, 24.0  # pixels of a line's height, margins included


def text_masks(count: int, side: int, generator: torch.Generator) -> Tensor:
    """Soft masks in 0..1, count x 1 x side x side, on the generator's device."""

    def draw(*shape: int) -> Tensor:
        return torch.rand(count, *shape, generator=generator, device=generator.device)

    masks = torch.stack([_block(draw, side) for _ in range(BLOCKS)], 1)
    masks[:, 1:] *= draw(BLOCKS - 1, 1, 1) < 0.5
    return masks.amax(1, keepdim=True)


def _block(draw: Draw, side: int) -> Tensor:
    """One block: up to four lines above each other, upright, on their side, or a little tilted."""
    height = SHORTEST * (TALLEST / SHORTEST) ** draw(1)
    pitch = height * (1.05 + 0.9 * draw(1))
    lines = torch.ceil(LINES * draw(1) ** 1.5).clamp(min=1)
    number = torch.arange(LINES, device=height.device)
    middle = (number - (lines - 1) / 2) * pitch
    widths = height + (1.3 * side - height) * draw(1) ** 2 * (0.5 + 0.5 * draw(LINES))
    start = -widths.amax(1, keepdim=True) / 2
    across, down = _turned(draw, side)
    above = height[..., None, None] / 2 - (down[:, None] - middle[..., None, None]).abs()
    left = across[:, None] - start[..., None, None]
    right = (start + widths)[..., None, None] - across[:, None]
    inside = torch.minimum(above, torch.minimum(left, right))
    feather = 0.25 + 3 * draw(1, 1, 1) ** 2
    drawn = (inside / feather).clamp(0, 1) * (number < lines)[..., None, None]
    return drawn.amax(1)


def _turned(draw: Draw, side: int) -> tuple[Tensor, Tensor]:
    """Along and across the lines, in pixels from the block's middle, for every pixel."""
    kind = draw(1, 1)
    tilt = (draw(1, 1) - 0.5) * math.radians(50)
    angle = torch.where(kind < 0.1, torch.full_like(tilt, math.pi / 2), torch.where(kind < 0.25, tilt, 0 * tilt))
    place = torch.arange(side, device=angle.device, dtype=angle.dtype)
    x = place[None, None, :] - side * draw(1, 1)
    y = place[None, :, None] - side * draw(1, 1)
    return x * angle.cos() + y * angle.sin(), y * angle.cos() - x * angle.sin()
