"""Trained networks that tell a smaller one who resembles whom."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.identity.networks.backbones import fold_normalisation
from medveil.encoders.identity.networks.retrieval import load_retrieval
from medveil.training.device import placed


class Teachers:
    """Several retrieval networks that agree by turns."""

    def __init__(self, paths: Sequence[Path], device: str) -> None:
        self._networks = [_load(path, device) for path in paths]

    def __len__(self) -> int:
        return len(self._networks)

    @torch.no_grad()
    def similarities(self, gray: Tensor, rng: np.random.Generator) -> Tensor:
        """Of the images of a batch with each other, by one teacher that sees them or their mirror images.

        Over the steps the student learns what all teachers say of both on average, at the price of one.
        """
        network, size = self._networks[rng.integers(len(self._networks))]
        if size != gray.shape[-1]:
            gray = functional.interpolate(gray, size=(size, size), mode="bilinear", align_corners=False)
        unit = functional.normalize(network(gray.flip(3) if rng.random() < 0.5 else gray).float(), dim=1)
        with torch.autocast(unit.device.type, enabled=False):  # half precision would blur what the student learns
            return unit @ unit.T


def _load(path: Path, device: str) -> tuple[nn.Module, int]:
    network, size = load_retrieval(path)
    return placed(fold_normalisation(network.eval().requires_grad_(False)), device), size
