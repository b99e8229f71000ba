"""The foundation model whose features carry a film's meaning: the findings network.

The paper takes MGCA for radiographs, which cannot be had here; any findings network saved in our format serves.
"""

from __future__ import annotations

from pathlib import Path

from torch import Tensor, nn

from medveil.encoders.findings.network import load_findings
from medveil.encoders.identity.networks.efficientnet_lite import EfficientNetLite
from medveil.runtime.storage import sha256_of
from medveil.weights.bundled import bundled

CELLS = 8  # places along each side of a feature map


class Foundation(nn.Module):
    """Gray films of 0..1 (n × 1 × 256 × 256) to maps (n × 320 × 8 × 8). `digest` tells its weights from others."""

    def __init__(self, path: Path | None = None) -> None:
        super().__init__()
        path = bundled("findings") if path is None else path
        backbone = load_findings(path)[0].backbone
        assert isinstance(backbone, EfficientNetLite)
        self.backbone = backbone.eval().requires_grad_(False)
        self.digest = sha256_of(path)
        self.channels = backbone._conv_head.in_channels

    def forward(self, gray: Tensor) -> Tensor:
        return self.backbone.narrow(gray).float()
