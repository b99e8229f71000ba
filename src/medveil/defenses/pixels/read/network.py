"""The network that reads: a gray strip 32 pixels high in, for every fourth column the share of each character out.

Convolutions only, less than half a million weights; the strip may be of any width that is a multiple of four.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from medveil.defenses.pixels.read.alphabet import CHARACTERS


class Unit(nn.Sequential):
    """Convolution, normalisation while training, rectification."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        *,
        training: bool,
        size: tuple[int, int] = (3, 3),
        stride: tuple[int, int] = (1, 1),
        around: tuple[int, int] | None = None,
    ) -> None:
        padding = (size[0] // 2, size[1] // 2) if around is None else around
        convolution = nn.Conv2d(inputs, outputs, size, stride, padding, bias=not training)
        super().__init__(convolution, nn.BatchNorm2d(outputs) if training else nn.Identity(), nn.ReLU(inplace=True))


class Residual(nn.Module):
    def __init__(self, width: int, *, training: bool, size: tuple[int, int] = (3, 3)) -> None:
        super().__init__()
        self.first = Unit(width, width, training=training, size=size)
        self.second = Unit(width, width, training=training, size=size)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.second(self.first(x))


class ReaderNetwork(nn.Module):
    """`training` builds the form with normalisation; `fused` turns it into the shipped one."""

    def __init__(self, widths: tuple[int, ...] = (24, 40, 72, 112), *, training: bool = False) -> None:
        super().__init__()
        half, quarter, low, row = widths
        self.widths = widths
        self.stages = nn.Sequential(
            Unit(1, half, training=training, size=(5, 5), stride=(2, 2)),
            Unit(half, quarter, training=training, stride=(2, 2)),
            Residual(quarter, training=training),
            Unit(quarter, low, training=training, stride=(2, 1)),
            Residual(low, training=training),
            Unit(low, row, training=training, size=(4, 3), around=(0, 1)),  # the strip becomes one row
            Residual(row, training=training, size=(1, 5)),
        )
        self.shares = nn.Conv2d(row, len(CHARACTERS), 1)

    def forward(self, strips: Tensor) -> Tensor:
        """Logits (strips, characters, columns) from strips (n, 1, 32, width)."""
        return self.shares(self.stages(strips))[:, :, 0]


def fused(network: ReaderNetwork) -> ReaderNetwork:
    """The same function without normalisation layers: their numbers go into the convolutions."""
    network = network.eval()
    plain = ReaderNetwork(network.widths).eval()
    trained = dict(network.named_modules())
    with torch.no_grad():
        for name, module in plain.named_modules():
            if isinstance(module, Unit):
                unit = cast(Unit, trained[name])
                merged = fuse_conv_bn_eval(cast(nn.Conv2d, unit[0]), cast(nn.BatchNorm2d, unit[1]))
                module[0].load_state_dict(merged.state_dict())
        plain.shares.load_state_dict(network.shares.state_dict())
    return plain
