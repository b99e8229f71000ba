"""Random crops of the training images, or all of them, made on the device that trains, with masks as the text detector
makes them: lines of a block, boxed, widened and feathered.
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
from medveil.defenses.pixels.paint.training.settings import InpaintingSettings
from medveil.defenses.pixels.paint.training.text_found import TextFound
from medveil.errors import InputError


@dataclass(frozen=True)
class Batch:
    image: Tensor  # n x channels x size x size, -1..1
    mask: Tensor  # n x 1 x size x size, 0..1
    rows: NDArray[np.int64]


class Crops:
    """Draws batches. Some are of images shrunk by a whole number, for that is how large text is filled later."""

    def __init__(
        self, images: TrainingImages, settings: InpaintingSettings, device: str, found: TextFound | None = None
    ) -> None:
        self._size, self._channels, self._whole = settings.size, settings.architecture.channels, settings.whole
        self._device, self._shapes, self._found = device, images.shapes, found
        self._images = images
        self._pixels = torch.from_numpy(images.pixels).to(device)
        self._shrink = (1,) if settings.whole else settings.shrink

    def of(self, *, validation: bool) -> Draws:
        """Those of the one part or the other."""
        least = {by: 1 if self._whole else self._size * by for by in self._shrink}
        found = {by: self._images.large_enough(side, validation=validation) for by, side in least.items()}
        rows = {by: some for by, some in found.items() if len(some)}
        if not rows:
            raise InputError(f"no image has {min(least.values())} pixels along each side; choose a smaller size")
        return Draws(self, rows)

    def draw(self, rows: NDArray[np.int64], by: int, rng: np.random.Generator, *, changed: bool) -> Batch:
        generator = torch.Generator(self._device).manual_seed(int(rng.integers(2**62)))
        corners = rng.integers(0, np.maximum(self._shapes[rows] - self._size * by, 0) + 1)
        image = self._cut(rows, corners, by)
        own = torch.zeros_like(image) if self._found is None else self._own(rows, corners, by, rng)
        if changed:
            image, own = _turned_over(image, own, rng)
            image = _toned(image, generator)
        mask = text_masks(len(rows), self._size, generator)
        mask = torch.where(own.amax((1, 2, 3), keepdim=True) > 0, own, mask)
        return Batch((2 * image - 1).expand(-1, self._channels, -1, -1), mask, rows)

    def _cut(self, rows: NDArray[np.int64], corners: NDArray[np.int64], by: int) -> Tensor:
        if self._whole:
            return torch.cat([self._resized(self._pixels[row], row) for row in rows.tolist()])
        wide = self._size * by
        place = torch.from_numpy(corners[:, :, None] + np.arange(wide)).to(self._device)
        index = torch.from_numpy(rows).to(self._device)
        cut = self._pixels[index[:, None, None], place[:, 0, :, None], place[:, 1, None, :]]
        return functional.avg_pool2d(cut[:, None].float() / 255, by)

    def _own(self, rows: NDArray[np.int64], corners: NDArray[np.int64], by: int, rng: np.random.Generator) -> Tensor:
        """The masks of the text found in each image, or in another one; none where a crop misses it."""
        assert self._found is not None
        masks = []
        for row, (top, left) in zip(rows.tolist(), corners.tolist(), strict=True):
            mask, whose = self._found.of(row, rng)
            values = torch.from_numpy(mask).to(self._device)
            if self._whole:
                masks.append(self._resized(values, whose))
            else:
                wide = self._size * by
                part = values[top : top + wide, left : left + wide]
                masks.append(functional.max_pool2d(part[None, None].float() / 255, by))
        return torch.cat(masks)

    def _resized(self, stored: Tensor, row: int) -> Tensor:
        """All of an image, whatever its shape, as the square that the network sees."""
        height, width = self._shapes[row].tolist()
        part = stored[None, None, :height, :width].float() / 255
        size = (self._size, self._size)
        resized = functional.interpolate(part, size=size, mode="bilinear", antialias=True, align_corners=False)
        return resized.clamp(0, 1)


@dataclass(frozen=True)
class Draws:
    """Batches of one part of the images; `rows` are those large enough to be shrunk so much."""

    crops: Crops
    rows: dict[int, NDArray[np.int64]]

    @property
    def count(self) -> int:
        return max(len(rows) for rows in self.rows.values())

    def draw(self, count: int, rng: np.random.Generator, *, changed: bool = True) -> Batch:
        """With masks; `changed`: mirrored, turned, darker or lighter, so that few images go a long way."""
        by = int(rng.choice(list(self.rows)))
        return self.crops.draw(rng.choice(self.rows[by], count), by, rng, changed=changed)


def _turned_over(image: Tensor, mask: Tensor, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    flips = [axis for axis in (2, 3) if rng.random() < 0.5]
    if flips:
        image, mask = image.flip(flips), mask.flip(flips)
    return (image.transpose(2, 3), mask.transpose(2, 3)) if rng.random() < 0.5 else (image, mask)


def _toned(image: Tensor, generator: torch.Generator) -> Tensor:
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
