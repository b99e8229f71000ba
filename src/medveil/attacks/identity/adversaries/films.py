"""Films before and after a defense, row by row, as an attacker gets them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from medveil.encoders.identity.preparing import SIDE, TAILS
from medveil.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor

Pixels = NDArray[np.uint8]
Codes = NDArray[np.int64]
LUMINANCE = (0.299, 0.587, 0.114)  # of red, green and blue (ITU-R BT.601)
CHUNK = 64  # films stretched at a time


@dataclass(frozen=True)
class Films:
    """Row i of everything is one film: n × 256 × 256 pixels of 8 bits as it was and as it is released, whose it is.

    Photographs in colour have three channels more; attackers look at their luminance. Films of one of the `visits`
    are never counted as found in one another; left out, every film is a visit of its own. `table` is what an attacker
    without the films would compare: vectors, alike where their inner product is large. `told` are such vectors of
    what the released row tells beside the film, of the person and of the findings: for an attacker who adds it up.
    """

    original: Pixels
    defended: Pixels
    patients: Codes
    visits: Codes | None = None
    table: NDArray[np.float32] | None = None
    told: tuple[NDArray[np.float32], ...] = ()

    def __post_init__(self) -> None:
        for pixels in (self.original, self.defended):
            if pixels.dtype != np.uint8 or pixels.shape[1:] not in ((SIDE, SIDE), (SIDE, SIDE, 3)):
                raise InputError(f"the attackers take films of {SIDE} x {SIDE} pixels of 8 bits; prepare them first")
        rows: list[NDArray[Any] | None] = [self.defended, self.patients, self.visits, self.table, *self.told]
        if any(each is not None and len(each) != len(self.original) for each in rows):
            raise InputError("originals, defended films and their patients differ in number; give one row a film")

    def __len__(self) -> int:
        return len(self.patients)

    def take(self, rows: NDArray[Any]) -> Films:
        return Films(
            self.original[rows],
            self.defended[rows],
            self.patients[rows],
            None if self.visits is None else self.visits[rows],
            None if self.table is None else self.table[rows],
            tuple(each[rows] for each in self.told),
        )

    @cached_property
    def original_digest(self) -> bytes:
        """Of all originals together: many defenses are tried on the same ones."""
        return blake2b(np.ascontiguousarray(self.original).data, digest_size=16).digest()

    @property
    def visit_codes(self) -> Codes:
        return np.arange(len(self)) if self.visits is None else self.visits

    @property
    def returning(self) -> int:
        """How many patients have films of two visits."""
        pairs = np.unique(np.stack([self.patients, self.visit_codes], 1), axis=0)
        return int((np.unique(pairs[:, 0], return_counts=True)[1] > 1).sum())


def check_disjoint(fit: Films, target: Films) -> None:
    """An attacker who has seen the very patients under attack proves nothing about others."""
    if shared := len(np.intersect1d(fit.patients, target.patients)):
        raise InputError(f"{shared} patients are among those to learn from and those to attack; split by patient")


def content_codes(*parts: Pixels) -> list[Codes]:
    """A number for every film of each part; films with the same bytes have the same number."""
    digests = [[blake2b(np.ascontiguousarray(film).data, digest_size=16).digest() for film in part] for part in parts]
    known = {digest: number for number, digest in enumerate(dict.fromkeys(one for part in digests for one in part))}
    return [np.array([known[digest] for digest in part], dtype=np.int64) for part in digests]


def on_device(pixels: Pixels, device: str) -> Tensor:
    """Gray films (n × 256 × 256, 8 bits) as the networks are used to see them: stretched to the full range."""
    import torch

    parts = torch.split(torch.from_numpy(np.ascontiguousarray(pixels)), CHUNK)
    if not len(pixels):
        return torch.zeros((0, SIDE, SIDE), dtype=torch.uint8, device=device)
    return torch.cat([_stretched(_gray(part.to(device))) for part in parts])


def _gray(films: Tensor) -> Tensor:
    import torch

    if films.ndim == 3:
        return films
    weights = torch.tensor(LUMINANCE, device=films.device)
    return (films.float() @ weights).round().clamp(0, 255).to(torch.uint8)


def _stretched(films: Tensor) -> Tensor:
    """What `encoders.identity.preparing.prepare` does, from counts of gray levels."""
    import torch

    flat = films.flatten(1).long()
    counts = torch.zeros((len(flat), 256), device=films.device).scatter_add_(1, flat, torch.ones_like(flat).float())
    below = counts.cumsum(1)
    low, high = (_quantile(below, tail / 100, flat.shape[1]) for tail in TAILS)
    flatly = high <= low
    low = torch.where(flatly, flat.amin(1).float(), low)[:, None, None]
    high = torch.where(flatly, flat.amax(1).float(), high)[:, None, None]
    scaled = (films.float() - low) * (255 / (high - low).clamp(min=1e-6))
    return scaled.round().clamp(0, 255).to(torch.uint8)


def _quantile(below: Tensor, share: float, pixels: int) -> Tensor:
    """By linear interpolation between the two pixels it falls between."""
    place = share * (pixels - 1)
    first, rest = int(place), place - int(place)
    lower, upper = ((below <= rank).sum(1).float() for rank in (first, min(first + 1, pixels - 1)))
    return lower + rest * (upper - lower)
