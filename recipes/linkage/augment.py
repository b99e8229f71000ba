"""What may differ between two films that one report fits: position, exposure, detector, text and boxes over the image.

Never a mirror image: reports name the side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Changes:
    """How far each change may go; every image draws its own."""

    rotation: float = 6.0  # degrees
    scale: float = 0.1
    shift: float = 0.05  # of the side
    gamma: float = 0.25
    contrast: float = 0.2
    noise: float = 0.06
    blurred: float = 0.4  # share of images
    covered: float = 0.3  # share of images, for each of two boxes


def changed(prepared: Tensor, how: Changes, generator: torch.Generator) -> Tensor:
    """Prepared images (n × side × side, 8 bits) to inputs (n × 1 × side × side, 0..1)."""
    gray = prepared.unsqueeze(1).float() / 255

    def between(low: float, high: float) -> Tensor:
        return low + (high - low) * torch.rand((len(gray), 1, 1, 1), generator=generator, device=gray.device)

    angle = between(-how.rotation, how.rotation).flatten() * (math.pi / 180)
    zoom = between(-how.scale, how.scale).flatten().exp()
    across, down = (between(-2 * how.shift, 2 * how.shift).flatten() for _ in range(2))
    cos, sin = angle.cos() * zoom, angle.sin() * zoom
    rows = torch.stack([torch.stack([cos, -sin, across], 1), torch.stack([sin, cos, down], 1)], 1)
    grid = functional.affine_grid(rows, list(gray.shape), align_corners=False)
    gray = functional.grid_sample(gray, grid, align_corners=False)
    gray = gray.clamp(min=1e-4) ** between(-how.gamma, how.gamma).exp()
    mean = gray.mean((1, 2, 3), keepdim=True)
    gray = (gray - mean) * between(-how.contrast, how.contrast).exp() + mean
    soft = functional.avg_pool2d(gray, 3, 1, 1, count_include_pad=False)
    gray = gray + (between(0, 1) < how.blurred) * between(0, 1) * (soft - gray)
    gray = gray + torch.randn(gray.shape, generator=generator, device=gray.device) * between(0, how.noise)
    side = torch.linspace(0, 1, gray.shape[-1], device=gray.device)
    for _ in range(2):
        inside = ((side.view(1, 1, -1, 1) - between(0, 1)).abs() < between(0.01, 0.1)) & (
            (side.view(1, 1, 1, -1) - between(0, 1)).abs() < between(0.02, 0.2)
        )
        fill = between(-0.5, 1.5).clamp(0, 1)  # black and white boxes are as common as gray ones
        gray = torch.where(inside & (between(0, 1) < how.covered), fill, gray)
    return gray.clamp(0, 1).contiguous(memory_format=torch.channels_last)
