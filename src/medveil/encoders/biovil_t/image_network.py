"""BioViL-T's image network: a ResNet-50, what changed since an earlier image, and a head into the joint space.

Names and shapes of all parameters are those of the published checkpoint.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.biovil_t.change_pooler import ChangePooler
from medveil.encoders.identity.networks.resnet import ResNet50

WIDTH = 256  # features of a patch in one image; as many again tell of change
DIM = 128


class Trunk(ResNet50):
    """ResNet-50 on three colours of 0..1 as they are. The ImageNet classifier is in the checkpoint, and unused."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(self.channels, 1000)

    def forward(self, pixels: Tensor) -> Tensor:
        x = functional.relu(self.bn1(self.conv1(pixels)))
        x = functional.max_pool2d(x, 3, 2, 1)
        for number in range(1, 5):
            x = self.get_submodule(f"layer{number}")(x)
        return x


class PatchEncoder(nn.Module):
    """512 features a patch: 256 of the image, 256 of the change; without an earlier image, a learned stand-in."""

    def __init__(self) -> None:
        super().__init__()
        self.missing_previous_emb = nn.Parameter(torch.zeros(1, WIDTH, 1, 1))
        self.encoder = Trunk()
        self.backbone_to_vit = nn.Conv2d(self.encoder.channels, WIDTH, 1, bias=False)
        self.vit_pooler = ChangePooler(WIDTH)

    def forward(self, current: Tensor, previous: Tensor | None = None) -> Tensor:
        patches: Tensor = self.backbone_to_vit(self.encoder(current))
        if previous is None:
            change = self.missing_previous_emb.expand_as(patches)
        else:
            change = self.vit_pooler(patches, self.backbone_to_vit(self.encoder(previous)))
        return torch.cat([patches, change], dim=1)


class Projector(nn.Module):
    """From the features of a patch into the joint space."""

    def __init__(self) -> None:
        super().__init__()
        self.model = nn.Sequential(
            nn.Conv2d(2 * WIDTH, DIM, 1, bias=False), nn.BatchNorm2d(DIM), nn.ReLU(), nn.Conv2d(DIM, DIM, 1)
        )

    def forward(self, patches: Tensor) -> Tensor:
        projected: Tensor = self.model(patches)
        return projected


class ImageNetwork(nn.Module):
    """n × 3 × side × side pixels of 0..1 in, n × 128 out: the mean of the projected patches."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = PatchEncoder()
        self.projector = Projector()

    def forward(self, current: Tensor, previous: Tensor | None = None) -> Tensor:
        projected: Tensor = self.projector(self.encoder(current, previous))
        return projected.mean((2, 3))

    def features(self, current: Tensor) -> Tensor:
        """The mean of the patches before they are projected: n × 512."""
        patches: Tensor = self.encoder(current)
        return patches.mean((2, 3))
