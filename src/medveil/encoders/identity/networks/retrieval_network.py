"""The retrieval network: a backbone and a head that gives every image its place among all images."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.identity.networks.backbones import Backbone, build_backbone
from medveil.encoders.identity.networks.model_file import load_into, read_architecture
from medveil.errors import InputError, SettingsError


class GlobalHead(nn.Module):
    """Generalised mean over the image (1 is the average, large is the maximum), then one linear layer."""

    def __init__(self, channels: int, dim: int, *, power: float = 1.0) -> None:
        super().__init__()
        self.power = power
        self.fc = nn.Linear(channels, dim)

    def forward(self, maps: Tensor) -> Tensor:
        pooled = maps.float().clamp(min=1e-6).pow(self.power).mean((2, 3)).pow(1 / self.power)
        return self.fc(pooled)


class GridHead(nn.Module):
    """Average and maximum on a coarse grid, few maps, two linear layers: where a structure lies counts too.

    Joined, the two poolings have twice the backbone's maps; the convolution reduces them to `maps`.
    """

    def __init__(self, channels: int, dim: int, *, grid: int = 5, maps: int = 100, hidden: int = 512) -> None:
        super().__init__()
        self.grid = grid
        self.reduce = nn.Conv2d(2 * channels, maps, 1)
        self.fc1 = nn.Linear(maps * grid * grid, hidden)
        self.fc2 = nn.Linear(hidden, dim)

    def forward(self, maps: Tensor) -> Tensor:
        average = functional.adaptive_avg_pool2d(maps, self.grid)
        maximum = functional.adaptive_max_pool2d(maps, self.grid)
        x = functional.relu(self.reduce(torch.cat([average, maximum], 1)))
        return self.fc2(functional.relu(self.fc1(x.flatten(1))))


def build_head(name: str, channels: int, dim: int) -> nn.Module:
    match name:
        case "global":
            return GlobalHead(channels, dim)
        case "gem":
            return GlobalHead(channels, dim, power=3.0)
        case "grid":
            return GridHead(channels, dim)
    raise SettingsError("there is no head of that name; choose global, gem or grid")


class RetrievalNetwork(nn.Module):
    """Gray images of 0..1 (n × 1 × side × side) to vectors (n × dim), not yet of unit length."""

    def __init__(self, backbone: str, head: str, dim: int, start: Path | None = None) -> None:
        super().__init__()
        self.dim = dim
        self.backbone: Backbone = build_backbone(backbone, start)
        self.head = build_head(head, self.backbone.channels, dim)

    def forward(self, gray: Tensor) -> Tensor:
        return self.head(self.backbone(gray))


def load_retrieval(path: Path) -> tuple[RetrievalNetwork, int]:
    """A network saved by training, and the side of the images it looks at."""
    architecture = read_architecture(path)
    if architecture.kind != "reidentification":
        raise InputError(f"{path} is a {architecture.kind} model; give one trained for reidentification")
    network = RetrievalNetwork(architecture.backbone, architecture.head, architecture.dim)
    load_into(network, path)
    return network, architecture.size
