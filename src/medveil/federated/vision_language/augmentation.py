"""Films as another positioning and exposure would have shown them. They are never mirrored: the heart is left."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

TURN = 6 / 180 * math.pi
SHIFT, ZOOM, CONTRAST, GAMMA = 0.06, 0.1, 0.25, 0.25


def varied(films: Tensor, generator: torch.Generator) -> Tensor:
    """Films of 0..1 (n × 1 × side × side), each turned, shifted, zoomed, and of another contrast."""
    if not len(films):
        return films
    turn, across, down, zoom, contrast, gamma = (
        torch.rand(6, len(films), generator=generator, device=films.device) * 2 - 1
    )
    scale, angle = torch.exp(zoom * ZOOM), turn * TURN
    cosine, sine = torch.cos(angle) * scale, torch.sin(angle) * scale
    rows = (torch.stack([cosine, -sine, across * SHIFT], 1), torch.stack([sine, cosine, down * SHIFT], 1))
    grid = functional.affine_grid(torch.stack(rows, 1), list(films.shape), align_corners=False)
    moved = functional.grid_sample(films, grid, padding_mode="border", align_corners=False)
    curved = moved.clamp(1e-3, 1) ** torch.exp(gamma * GAMMA).view(-1, 1, 1, 1)
    return curved * (1 + contrast * CONTRAST).view(-1, 1, 1, 1)
