"""Masks as the text detector makes them: lines of a block, boxed, widened and feathered."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

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
