"""`IdentityEmbedder`: a trained retrieval network, from radiographs to vectors of unit length."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.identity.backbones import fold_normalisation, placed
from medveil.encoders.identity.checkpoint import load_into, read_architecture
from medveil.encoders.identity.inference import inputs, run
from medveil.encoders.identity.retrieval import RetrievalNetwork
from medveil.errors import InputError
from medveil.weights.identity import bundled, read_card

Image = NDArray[Any]
Floats = NDArray[np.float32]


class IdentityEmbedder:
    """Images of one person lie close together: compare the vectors by inner product."""

    def __init__(
        self, network: RetrievalNetwork, size: int, dim: int, *, name: str, device: str, card: dict[str, Any]
    ) -> None:
        self.name = name
        self.size = size
        self.dim = dim
        self.device = device
        self.card = card
        fold_normalisation(network)
        self._network = placed(network.eval().requires_grad_(False), device)

    def embed(self, images: Iterable[Image]) -> Floats:
        """n × dim, each row of unit length. Any size and bit depth; bright is dense."""
        return run(_Unit(self._network), inputs(images, self.size, self.device), self.dim)

    def features(self, images: Iterable[Image]) -> Floats:
        """What the backbone sees, averaged over the image, before any notion of identity: n × channels."""
        pooled = nn.Sequential(self._network.backbone, nn.AdaptiveAvgPool2d(1), nn.Flatten())
        return run(pooled, inputs(images, self.size, self.device), self._network.backbone.channels)

    def attention(self, a: Image, b: Image) -> tuple[Floats, Floats]:
        """Two maps (size × size, 0..1): what in each image makes the pair similar, by Grad-CAM."""
        batch = next(inputs([a, b], self.size, self.device))
        with torch.enable_grad():
            maps = self._network.backbone(batch).detach().requires_grad_(True)
            unit = functional.normalize(self._network.head(maps).float(), dim=1)
            (gradient,) = torch.autograd.grad(unit[0] @ unit[1], maps)
        weights = gradient.mean((2, 3), keepdim=True)
        heat = functional.relu((weights * maps.detach()).sum(1, keepdim=True))
        heat = functional.interpolate(heat, size=(self.size, self.size), mode="bilinear", align_corners=False)
        heat = heat / heat.amax((1, 2, 3), keepdim=True).clamp(min=1e-12)
        first, second = heat[:, 0].cpu().numpy().astype(np.float32)
        return first, second


class _Unit(nn.Module):
    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, gray: Tensor) -> Tensor:
        return functional.normalize(self.network(gray).float(), dim=1)


def load_embedder(path: Path | None = None, *, device: str = "cpu") -> IdentityEmbedder:
    """An embedder saved by training; without a path, the bundled one."""
    path = bundled("reidentification") if path is None else path
    architecture = read_architecture(path)
    if architecture.kind != "reidentification":
        raise InputError(f"{path} is a {architecture.kind} model; give one trained for reidentification")
    network = RetrievalNetwork(architecture.backbone, architecture.head, architecture.dim)
    load_into(network, path)
    card = read_card(path)
    name = str(card.get("name", f"{architecture.backbone}-{architecture.head}"))
    return IdentityEmbedder(network, architecture.size, architecture.dim, name=name, device=device, card=card)
