"""The image network: the first five stages of EfficientNet-lite0, then several readers that know where they look."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.identity.networks.efficientnet_lite import EfficientNetLite0
from medveil.encoders.medveil_small.attention_pool import AttentionPool

SIDE = 224  # pixels
_GRID = SIDE // 16
_BLOCKS = 11  # of the backbone; later ones only halve the grid and hold most of the weights
_CHANNELS = 112


class ImageNetwork(nn.Module):
    """Gray images of 0..1, 224 × 224 pixels, to n × dim."""

    def __init__(self, dim: int, *, width: int = 128) -> None:
        super().__init__()
        backbone = EfficientNetLite0()
        self._conv_stem, self._bn0 = backbone._conv_stem, backbone._bn0
        self._blocks = backbone._blocks[:_BLOCKS]
        self.narrow = nn.Conv2d(_CHANNELS, width, 1)
        self.place = nn.Parameter(torch.zeros(1, width, _GRID, _GRID))
        self.near = nn.Conv2d(width, width, 3, padding=1)
        self.norm = nn.LayerNorm(width)
        self.pool = AttentionPool(width, dim)

    def forward(self, gray: Tensor) -> Tensor:
        x = ((gray * 255 - 127) / 128).expand(-1, 3, -1, -1)
        x = self._blocks(functional.relu6(self._bn0(self._conv_stem(x))))
        x = self.narrow(x) + self.place
        x = x + functional.gelu(self.near(x))
        return self.pool(self.norm(x.flatten(2).transpose(1, 2)))

    def start_from(self, classifier: dict[str, Tensor]) -> None:
        """Take over what an ImageNet classifier of the same family has learned."""
        own = self.state_dict()
        known = {name: value for name, value in classifier.items() if name in own}
        if not any(name.startswith("_blocks.10.") for name in known):
            raise ValueError("these are not the weights of EfficientNet-lite0")
        self.load_state_dict(known, strict=False)
