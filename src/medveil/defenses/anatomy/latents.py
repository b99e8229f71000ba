"""Films as small grids of numbers and back: the autoencoder in whose space the generators draw.

A film of 256 × 256 pixels is 4 × 32 × 32 numbers there, each channel with mean 0 and spread 1 over the films it was
trained on. The network is MONAI's AutoencoderKL; its mean is taken, never a sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from medveil.errors import InputError
from medveil.runtime.compiled import Compiled, compiled
from medveil.training.checkpoint import read_header, read_tensors, write_model
from medveil.training.device import placed
from medveil.weights.bundled import bundled

FILM = 256  # pixels a side
CHANNELS, SIDE = 4, 32
FORMAT = "medveil.autoencoder/1"
ONE, MANY = 1, 64  # films at a time, on the processor, so that company changes nothing, and elsewhere
Films = NDArray[np.uint8]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Architecture:
    """What must be known to build the network before its weights are loaded."""

    channels: tuple[int, ...] = (24, 48, 64, 96)
    groups: int = 8  # of channels that are normalised together


class Autoencoder(nn.Module):
    """Gray films of 0..1 (n × 1 × 256 × 256) to latents (n × 4 × 32 × 32) and back."""

    shift: Tensor
    scale: Tensor

    def __init__(self, kl: nn.Module) -> None:
        super().__init__()
        self.kl: Any = kl
        self.register_buffer("shift", torch.zeros(CHANNELS))
        self.register_buffer("scale", torch.ones(CHANNELS))

    def encode(self, gray: Tensor) -> Tensor:
        mean, _ = self.kl.encode(gray * 2 - 1)
        normal: Tensor = (mean - self.shift.view(1, -1, 1, 1)) / self.scale.view(1, -1, 1, 1)
        return normal

    def decode(self, latents: Tensor) -> Tensor:
        """Not clamped, so that a gradient comes back from everywhere."""
        mean = latents * self.scale.view(1, -1, 1, 1) + self.shift.view(1, -1, 1, 1)
        gray: Tensor = (self.kl.decode(mean) + 1) / 2
        return gray


def build_autoencoder(architecture: Architecture | None = None) -> Autoencoder:
    from monai.networks.nets.autoencoderkl import AutoencoderKL  # seconds, so not before it is needed

    chosen = architecture or Architecture()
    levels = len(chosen.channels)
    return Autoencoder(
        AutoencoderKL(
            spatial_dims=2,
            in_channels=1,
            out_channels=1,
            channels=chosen.channels,
            num_res_blocks=(1,) * levels,
            attention_levels=(False,) * levels,
            latent_channels=CHANNELS,
            norm_num_groups=chosen.groups,
            with_encoder_nonlocal_attn=False,
            with_decoder_nonlocal_attn=False,
        )
    )


def save_autoencoder(path: Path, autoencoder: Autoencoder, architecture: Architecture) -> None:
    write_model(path, autoencoder.state_dict(), form=FORMAT, architecture=asdict(architecture))


def load_autoencoder(path: Path | None = None) -> Autoencoder:
    """Saved by its recipe; without a path, the bundled one."""
    path = path or bundled("autoencoder")
    try:
        told = read_header(path, form=FORMAT)
        architecture = Architecture(tuple(map(int, told["channels"])), int(told["groups"]))
        autoencoder = build_autoencoder(architecture)
        autoencoder.load_state_dict({name: value.float() for name, value in read_tensors(path).items()})
    except (ValueError, KeyError, TypeError, RuntimeError):
        raise InputError(f"{path} is not an autoencoder of this version; train it again or restore it") from None
    return autoencoder.eval().requires_grad_(False)


class Latents:
    """The autoencoder at work, compiled where the processor computes."""

    def __init__(self, autoencoder: Autoencoder, *, device: str = "cpu") -> None:
        self._autoencoder = placed(autoencoder, device)
        self._device = device
        self._ways: dict[str, Compiled] = {}

    def encode(self, films: Sequence[Films]) -> Floats:
        gray = [np.asarray(film, np.float32)[None] / np.float32(255) for film in films]
        return self._run("encode", np.stack(gray)) if gray else np.zeros((0, CHANNELS, SIDE, SIDE), np.float32)

    def decode(self, latents: Floats) -> Films:
        gray = self._run("decode", latents)[:, 0] if len(latents) else np.zeros((0, FILM, FILM), np.float32)
        return np.clip(np.rint(gray * 255), 0, 255).astype(np.uint8)

    def _run(self, way: str, values: Floats) -> Floats:
        step = ONE if torch.device(self._device).type == "cpu" else MANY
        return np.concatenate([self._batch(way, values[at : at + step]) for at in range(0, len(values), step)])

    def _batch(self, way: str, values: Floats) -> Floats:
        if torch.device(self._device).type != "cpu":
            with torch.inference_mode():
                return np.asarray(getattr(self._autoencoder, way)(torch.from_numpy(values).to(self._device)).cpu())
        if way not in self._ways:
            network, example = _Way(self._autoencoder, way), torch.from_numpy(values[:1])
            self._ways[way] = compiled(network, example, varying=(0,), threads=torch.get_num_threads())
        return self._ways[way](values)


class _Way(nn.Module):
    """One direction of the autoencoder, as a network of its own."""

    def __init__(self, autoencoder: Autoencoder, way: str) -> None:
        super().__init__()
        self.autoencoder = autoencoder
        self.way = way

    def forward(self, values: Tensor) -> Tensor:
        done: Tensor = getattr(self.autoencoder, self.way)(values)
        return done
