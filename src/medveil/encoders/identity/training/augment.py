"""What differs between two radiographs of one person, imitated: position, breath, exposure, detector, collimation.

Never a mirror image: the heart lies on the left. Two changes are made to whole patients instead, the same for all their
images, and make another person of each: the mirror image, and a bend of the anatomy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Augmentation:
    """How far each change may go; every image draws its own."""

    person: float = 0.06  # bend of the anatomy, of half the side, the same in all images of a patient
    rotation: float = 12.0  # degrees
    scale: float = 0.3
    shift: float = 0.12  # of the side
    framed: float = 0.25  # share of images with a bright surround instead of a black one
    bend: float = 0.03  # of the side: breathing and leaning
    gamma: float = 0.6
    contrast: float = 0.3
    shading: float = 0.25
    noise: float = 0.05
    blurred: float = 0.3  # share of images
    covered: float = 0.5  # share of images with something over them: devices, markers, black boxes
    collimated: float = 0.3


def augment(
    prepared: Tensor,
    size: int,
    patients: Tensor,
    mirror: Tensor,
    generator: torch.Generator,
    how: Augmentation | None = None,
) -> Tensor:
    """Prepared images (n × 256 × 256, 8 bits) to inputs (n × 1 × size × size, 0..1), each changed in its own way.

    `patients` numbers the patient of each image, `mirror` says which images to turn around.
    """
    how = how or Augmentation()
    draw = _Draw(len(prepared), generator, prepared.device)
    gray = prepared.unsqueeze(1).float() / 255
    grid = _positions(how, size, mirror, draw)
    if how.person:
        grid = _other_anatomy(grid, patients, how.person, generator)
    surround = draw.chosen(how.framed) * draw.between(0, 1.5).clamp(max=1)
    gray = functional.grid_sample(gray - surround, grid, align_corners=False) + surround
    gray = _expose(gray, how, draw)
    gray = _blur(gray, draw.chosen(how.blurred) * draw.between(0, 1))
    gray = gray + torch.randn(gray.shape, generator=generator, device=gray.device) * draw.between(0, how.noise)
    for _ in range(2):
        gray = _cover(gray, how.covered, draw)
    gray = _collimate(gray, how.collimated, draw)
    return gray.clamp(0, 1).contiguous(memory_format=torch.channels_last)


class _Draw:
    """Random numbers, one an image, shaped to multiply a batch."""

    def __init__(self, n: int, generator: torch.Generator, device: torch.device) -> None:
        self.n, self.generator, self.device = n, generator, device

    def between(self, low: float, high: float) -> Tensor:
        return low + (high - low) * torch.rand((self.n, 1, 1, 1), generator=self.generator, device=self.device)

    def chosen(self, share: float) -> Tensor:
        return (self.between(0, 1) < share).float()

    def smooth(self, channels: int, size: int, cells: int = 4) -> Tensor:
        """Fields that vary slowly over the image."""
        coarse = torch.randn((self.n, channels, cells, cells), generator=self.generator, device=self.device)
        return functional.interpolate(coarse, size=(size, size), mode="bicubic", align_corners=True)


def _positions(how: Augmentation, size: int, mirror: Tensor, draw: _Draw) -> Tensor:
    angle = draw.between(-how.rotation, how.rotation).flatten() * (math.pi / 180)
    zoom = draw.between(-how.scale, how.scale).flatten().exp()
    aspect = draw.between(-how.scale / 3, how.scale / 3).flatten().exp()
    side = torch.where(mirror, -1.0, 1.0)
    across, down = (draw.between(-2 * how.shift, 2 * how.shift).flatten() for _ in range(2))
    cos, sin = angle.cos() * zoom, angle.sin() * zoom
    rows = torch.stack(
        [torch.stack([cos * aspect * side, -sin * side, across], 1), torch.stack([sin, cos / aspect, down], 1)], 1
    )
    grid = functional.affine_grid(rows, [draw.n, 1, size, size], align_corners=False)
    return grid + how.bend * draw.smooth(2, size).permute(0, 2, 3, 1)


def _other_anatomy(grid: Tensor, patients: Tensor, far: float, generator: torch.Generator) -> Tensor:
    """Positions bent in the patient's own frame, so that every image of the patient shows the same new anatomy."""
    people, who = patients.unique(return_inverse=True)  # type: ignore[no-untyped-call]
    bend = _Draw(len(people), generator, grid.device).smooth(2, 32)
    return grid + far * functional.grid_sample(bend[who], grid, padding_mode="border", align_corners=False).permute(
        0, 2, 3, 1
    )


def _expose(gray: Tensor, how: Augmentation, draw: _Draw) -> Tensor:
    gray = gray.clamp(min=1e-4) ** draw.between(-how.gamma, how.gamma).exp()
    mean = gray.mean((1, 2, 3), keepdim=True)
    gray = (gray - mean) * draw.between(-how.contrast, how.contrast).exp() + mean
    gray = gray + draw.between(-how.contrast / 2, how.contrast / 2)
    return gray * (how.shading * draw.between(0, 1) * draw.smooth(1, gray.shape[-1], cells=3)).exp()


def _blur(gray: Tensor, amount: Tensor) -> Tensor:
    soft = functional.avg_pool2d(gray, 5, 1, 2, count_include_pad=False)
    return gray + amount * (soft - gray)


def _ramps(gray: Tensor) -> tuple[Tensor, Tensor]:
    side = torch.linspace(0, 1, gray.shape[-1], device=gray.device)
    return side.view(1, 1, -1, 1), side.view(1, 1, 1, -1)


def _cover(gray: Tensor, share: float, draw: _Draw) -> Tensor:
    down, across = _ramps(gray)
    inside = ((down - draw.between(0, 1)).abs() < draw.between(0.02, 0.2)) & (
        (across - draw.between(0, 1)).abs() < draw.between(0.02, 0.2)
    )
    # black and white boxes are as common as gray ones
    fill = draw.between(-0.5, 1.5).clamp(0, 1)
    return torch.where(inside & (draw.chosen(share) > 0), fill, gray)


def _collimate(gray: Tensor, share: float, draw: _Draw) -> Tensor:
    down, across = _ramps(gray)
    low, left, high, right = (draw.chosen(share) * draw.between(0, 0.15) for _ in range(4))
    open_field = (down >= low) & (down <= 1 - high) & (across >= left) & (across <= 1 - right)
    return gray * open_field
