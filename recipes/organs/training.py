"""Lungs and heart learned from drawn films and carried over to real ones, in the way of the lung network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from medveil.utility.lungs.network import LungNetwork
from medveil.utility.organs.network import OrganNetwork, save_organs
from recipes.films import unpacked
from recipes.lungs.training import teach


def train(data: Path, out: Path, *, device: str, seconds: float, seed: int = 0) -> None:
    """OUT/alone.safetensors after the drawn films, OUT/organs.safetensors at the end."""
    stored = np.load(data)
    drawn, real = (torch.from_numpy(unpacked(stored[name], stored[f"{name}_ends"])) for name in ("drawn", "real"))
    learn(drawn, stored["organs"], real, out, device=device, seconds=seconds, seed=seed)


def learn(
    drawn: torch.Tensor,
    organs: NDArray[np.uint8],
    real: torch.Tensor,
    out: Path,
    *,
    device: str,
    seconds: float,
    seed: int = 0,
) -> None:
    masks = torch.from_numpy(np.unpackbits(organs, axis=-1) * np.uint8(255))

    def save(kept: LungNetwork, alone: bool) -> None:
        assert isinstance(kept, OrganNetwork)
        for name in ("alone", "organs") if alone else ("organs",):
            save_organs(out / f"{name}.safetensors", kept)

    out.mkdir(parents=True, exist_ok=True)
    masks = masks.repeat_interleave(2, -1).repeat_interleave(2, -2)  # as large as the films
    teach(OrganNetwork, (drawn, masks, real), save, device=device, seconds=seconds, seed=seed)
