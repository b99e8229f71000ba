"""Films to train on, on the device: patients in batches, two films of each, drawn and changed anew every time."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from medveil.encoders.identity.preparing import SIDE
from medveil.encoders.identity.training.augment import Augmentation, augment
from medveil.errors import InputError

_STILL = dict.fromkeys(("person", "bend", "shading", "noise", "blurred", "covered", "collimated", "framed"), 0.0)
SLIGHT = Augmentation(**_STILL, rotation=5.0, scale=0.1, shift=0.04, gamma=0.2, contrast=0.1)


class TrainingFilms:
    """Prepared films (n × 256 × 256, 8 bits) and whose each is."""

    def __init__(self, films: NDArray[np.uint8], patients: NDArray[Any], *, device: str, seed: int) -> None:
        if not len(films):
            raise InputError("there are no films to train on; give a data set with films in the split 'train'")
        _, codes, counts = np.unique(patients, return_inverse=True, return_counts=True)
        order = np.argsort(codes, kind="stable")
        self.films = torch.from_numpy(np.ascontiguousarray(films[order])).to(device)
        self.codes = torch.from_numpy(codes[order]).to(device)
        self.people = len(counts)
        self._counts = torch.from_numpy(counts).to(device)
        self._starts = torch.from_numpy(np.cumsum(counts) - counts).to(device)
        self.chance = torch.Generator(device).manual_seed(seed)

    def pairs(self, count: int) -> Tensor:
        """Rows of two films each (n × 2) of so many different patients; two different ones where there are two."""
        who = torch.randperm(self.people, generator=self.chance, device=self.films.device)[:count]
        counts, starts = self._counts[who], self._starts[who]
        first, step = self._below(counts), 1 + self._below((counts - 1).clamp(min=1))
        return torch.stack([starts + first, starts + (first + step) % counts], 1)

    def gray(self, rows: Tensor, how: Augmentation = SLIGHT) -> Tensor:
        """n × 1 × 256 × 256, 0..1, each film changed in its own way."""
        still = torch.zeros(len(rows), dtype=torch.bool, device=rows.device)
        return augment(self.films[rows], SIDE, self.codes[rows], still, self.chance, how)

    def drawn(self, count: int, low: float = 0.0, high: float = 1.0) -> Tensor:
        """Numbers between two, evenly."""
        return low + (high - low) * torch.rand(count, generator=self.chance, device=self.films.device)

    def _below(self, ends: Tensor) -> Tensor:
        return (self.drawn(len(ends)) * ends).long().clamp(max=ends - 1)
