"""What makes drawn films look like real ones, and any film like another: place, exposure, style, density, covering.

A drawn film takes over the gray levels and the broad light of a real one; lungs darken or fill up; wires, boxes and
print lie over both. Films and masks move together.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

SURROUND = 0.25  # share of films with a bright surround instead of a black one
INVERTED = 0.08
COVERED = 0.5


class Draw:
    """Random numbers, one a film, shaped to multiply a batch."""

    def __init__(self, n: int, generator: torch.Generator, device: torch.device) -> None:
        self.n, self.generator, self.device = n, generator, device

    def between(self, low: float, high: float, count: int = 1) -> Tensor:
        shape = (self.n, count, 1, 1)
        return low + (high - low) * torch.rand(shape, generator=self.generator, device=self.device)

    def chosen(self, share: float, count: int = 1) -> Tensor:
        return (self.between(0, 1, count) < share).float()

    def smooth(self, size: int, cells: int, channels: int = 1) -> Tensor:
        """Fields that vary slowly over the film."""
        shape = (self.n, channels, cells, cells)
        coarse = torch.randn(shape, generator=self.generator, device=self.device)
        return functional.interpolate(coarse, size=(size, size), mode="bicubic", align_corners=True)


def places(n: int, size: int, generator: torch.Generator, device: torch.device) -> Tensor:
    """Where each film is looked at: turned, scaled, moved, bent, mirrored."""
    draw = Draw(n, generator, device)
    angle = draw.between(-15, 15).flatten() * (math.pi / 180)
    zoom = draw.between(-0.3, 0.35).flatten().exp()
    aspect = draw.between(-0.15, 0.15).flatten().exp()
    mirror = 1 - 2 * draw.chosen(0.5).flatten()
    across, down = (draw.between(-0.2, 0.2).flatten() for _ in range(2))
    cos, sin = angle.cos() * zoom, angle.sin() * zoom
    rows = torch.stack(
        [torch.stack([cos * aspect * mirror, -sin * mirror, across], 1), torch.stack([sin, cos / aspect, down], 1)], 1
    )
    grid = functional.affine_grid(rows, [n, 1, size, size], align_corners=False)
    return grid + 0.03 * draw.smooth(size, 5, 2).permute(0, 2, 3, 1)


def looked_at(films: Tensor, grid: Tensor, generator: torch.Generator) -> Tensor:
    """Films (n × 1 × rows × columns, 0..1) at these places, with something around them."""
    draw = Draw(len(films), generator, films.device)
    surround = draw.chosen(SURROUND) * draw.between(0, 1)
    return functional.grid_sample(films - surround, grid, align_corners=False) + surround


def masks_at(masks: Tensor, grid: Tensor) -> Tensor:
    return functional.grid_sample(masks, grid, align_corners=False)


def in_the_style_of(drawn: Tensor, real: Tensor, generator: torch.Generator) -> Tensor:
    """Half take over a real film's gray levels, half its broad light, some both; partly each."""
    draw = Draw(len(drawn), generator, drawn.device)
    order = drawn.flatten(1).argsort(1)
    levels = real.flatten(1).sort(1).values
    matched = torch.empty_like(levels).scatter_(1, order, levels).view_as(drawn)
    drawn = torch.lerp(drawn, matched, draw.chosen(0.6) * draw.between(0.3, 1))
    own, other = torch.fft.rfft2(drawn), torch.fft.rfft2(real)
    rows, columns = torch.fft.fftfreq(drawn.shape[-2]), torch.fft.rfftfreq(drawn.shape[-1])
    far = (rows[:, None] ** 2 + columns[None] ** 2).sqrt().to(drawn.device)
    broad = (far < draw.between(0.004, 0.03)) * draw.chosen(0.5) * draw.between(0.3, 1)
    mixed = torch.polar(torch.lerp(own.abs(), other.abs(), broad), own.angle())
    return torch.fft.irfft2(mixed, s=drawn.shape[-2:]).clamp(0, 1)


def denser(films: Tensor, masks: Tensor, generator: torch.Generator) -> Tensor:
    """Lungs that fill up in clouds towards the gray of what lies around them, or darken as a whole."""
    draw = Draw(len(films), generator, films.device)
    clouds = ((draw.smooth(films.shape[-1], 6) + draw.between(-1, 1)) * 2).sigmoid()
    gray = torch.quantile(films.flatten(1), 0.75, dim=1).view(-1, 1, 1, 1) * draw.between(0.75, 1.15)
    amount = masks * clouds * draw.chosen(0.35) * draw.between(0.3, 0.95)
    films = torch.lerp(films, gray.expand_as(films), amount)
    return films * (1 - masks * draw.chosen(0.2) * draw.between(0, 0.6))


def exposed(films: Tensor, generator: torch.Generator) -> Tensor:
    """Gamma, contrast, light from one side, unsharpness, noise; now and then white for black."""
    draw = Draw(len(films), generator, films.device)
    films = films.clamp(1e-4, 1) ** draw.between(-0.8, 0.8).exp()
    mean = films.mean((1, 2, 3), keepdim=True)
    films = (films - mean) * draw.between(-0.7, 0.4).exp() + mean + draw.between(-0.15, 0.15)
    films = films * (0.3 * draw.between(0, 1) * draw.smooth(films.shape[-1], 3)).exp()
    soft = functional.avg_pool2d(films, 5, 1, 2, count_include_pad=False)
    films = films + draw.between(-0.8, 1) * draw.chosen(0.6) * (soft - films)
    noise = torch.randn(films.shape, generator=generator, device=films.device)
    films = (films + noise * draw.between(0, 0.08) * draw.chosen(0.6)).clamp(0, 1)
    return torch.where(draw.chosen(INVERTED) > 0, 1 - films, films)


def covered(films: Tensor, generator: torch.Generator) -> Tensor:
    """Wires, boxes, print and the collimator's black over the film."""
    draw = Draw(len(films), generator, films.device)
    side = torch.linspace(0, 1, films.shape[-1], device=films.device)
    down, across = side.view(1, 1, -1, 1), side.view(1, 1, 1, -1)
    for _ in range(2):  # wires, bent a little
        x0, y0, x1, y1 = (draw.between(-0.1, 1.1) for _ in range(4))
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2).clamp(min=1e-4)
        along = (((across - x0) * (x1 - x0) + (down - y0) * (y1 - y0)) / length).clamp(0, 1)
        bow = draw.between(-0.2, 0.2) * torch.sin(math.pi * along)
        far = (across - x0 - along * (x1 - x0) - bow).hypot(down - y0 - along * (y1 - y0) - bow)
        wire = (far < draw.between(0.002, 0.012)) * draw.chosen(COVERED)
        films = torch.lerp(films, draw.between(0.6, 1.2).clamp(max=1).expand_as(films), wire * draw.between(0.3, 1))
    for _ in range(2):  # boxes, every second one with print inside
        high, wide = draw.between(0.01, 0.06), draw.between(0.02, 0.15)
        inside = ((down - draw.between(0, 1)).abs() < high) & ((across - draw.between(0, 1)).abs() < wide)
        specks = torch.rand(films.shape, generator=generator, device=films.device) < draw.between(0.3, 0.7)
        print_ = torch.where(draw.chosen(0.5) > 0, specks.float(), draw.between(-0.5, 1.5).clamp(0, 1))
        films = torch.where(inside & (draw.chosen(COVERED) > 0), print_, films)
    low, left, high, right = (draw.chosen(0.2) * draw.between(0, 0.12) for _ in range(4))
    open_field = (down >= low) & (down <= 1 - high) & (across >= left) & (across <= 1 - right)
    return films * open_field
