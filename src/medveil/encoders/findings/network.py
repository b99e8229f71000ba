"""The network that looks for findings: the backbone of the identity network, and one linear layer on its mean."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.identity.networks.backbones import build_backbone
from medveil.encoders.identity.networks.model_file import load_into
from medveil.errors import InputError
from medveil.training.checkpoint import read_header, write_model

SIDE = 256  # pixels
FORMAT = "medveil.findings/1"
BACKBONE = "efficientnet-lite0"


@dataclass(frozen=True)
class Calling:
    """The findings in the order of the network's outputs, and from which probability on each is called present."""

    findings: tuple[str, ...]
    thresholds: tuple[float, ...]


class FindingsNetwork(nn.Module):
    """Gray images of 0..1 (n × 1 × side × side) to log odds (n × findings)."""

    def __init__(self, findings: int, *, drop: float = 0.3) -> None:
        super().__init__()
        self.backbone = build_backbone(BACKBONE)
        self.drop = nn.Dropout(drop)
        self.last = nn.Linear(self.backbone.channels, findings)

    def forward(self, gray: Tensor) -> Tensor:
        maps = self.backbone(gray).float()
        odds: Tensor = self.last(self.drop(functional.adaptive_avg_pool2d(maps, 1).flatten(1)))
        return odds


def save_findings(path: Path, network: FindingsNetwork, calling: Calling) -> None:
    tensors = {name: value for name, value in network.state_dict().items() if not name.endswith("num_batches_tracked")}
    write_model(path, tensors, form=FORMAT, architecture=asdict(calling))


def read_calling(path: Path) -> Calling:
    """What a network calls, without the network."""
    try:
        told = read_header(path, form=FORMAT)
        return Calling(tuple(map(str, told["findings"])), tuple(map(float, told["thresholds"])))
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{path} is not a findings network of this version; restore the package's own") from None


def load_findings(path: Path) -> tuple[FindingsNetwork, Calling]:
    calling = read_calling(path)
    network = FindingsNetwork(len(calling.findings))
    load_into(network, path)
    return network, calling
