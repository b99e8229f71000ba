"""The two networks of the detector: gray image in, two maps at a quarter of its size out.

The first map says where text is, box and all; the second only where the middle of a line is, so that lines close
together stay apart. Both are fully convolutional, half a million weights, no wider than one core can bear.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.functional import interpolate, pixel_shuffle
from torch.nn.utils.fusion import fuse_conv_bn_eval

STEP = 32  # sides of the input must be multiples of it
CELL = 4  # pixels of the image to one of a map
AREA, MIDDLE = 0, 1  # the maps


class Unit(nn.Sequential):
    """Convolution, normalisation while training, rectification."""

    def __init__(self, inputs: int, outputs: int, *, size: int = 3, stride: int = 1, training: bool) -> None:
        convolution = nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=not training)
        super().__init__(convolution, nn.BatchNorm2d(outputs) if training else nn.Identity(), nn.ReLU(inplace=True))


class Residual(nn.Module):
    def __init__(self, width: int, *, training: bool) -> None:
        super().__init__()
        self.first = Unit(width, width, training=training)
        self.second = Unit(width, width, training=training)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.second(self.first(x))


def stage(inputs: int, outputs: int, blocks: int, training: bool) -> nn.Sequential:
    """Half the size, then residual blocks."""
    residuals = (Residual(outputs, training=training) for _ in range(blocks))
    return nn.Sequential(Unit(inputs, outputs, stride=2, training=training), *residuals)


class TextNetwork(nn.Module):
    """Sees text of up to some 60 pixels.

    `training` builds the form with normalisation; `fused` turns it into the shipped one.
    """

    def __init__(self, widths: tuple[int, ...] = (16, 32, 48, 64, 96), *, training: bool = False) -> None:
        super().__init__()
        half, quarter, eighth, sixteenth, coarse = widths
        self.widths = widths
        self.stem = Unit(1, half, size=5, stride=2, training=training)
        self.quarter = stage(half, quarter, 1, training)
        self.eighth = stage(quarter, eighth, 1, training)
        self.sixteenth = stage(eighth, sixteenth, 2, training)
        self.coarse = stage(sixteenth, coarse, 1, training)
        self.from_coarse = nn.Conv2d(coarse, sixteenth, 1)
        self.from_sixteenth = nn.Conv2d(sixteenth, eighth, 1)
        self.from_eighth = nn.Conv2d(eighth, quarter, 1)
        self.merge_sixteenth = Unit(sixteenth, sixteenth, training=training)
        self.merge_eighth = Unit(eighth, eighth, training=training)
        self.merge_quarter = Unit(quarter, quarter, training=training)
        self.maps = nn.Conv2d(quarter, 2, 1)

    def plain(self) -> TextNetwork:
        """One of the same size without normalisation."""
        return TextNetwork(self.widths)

    def forward(self, gray: Tensor) -> Tensor:
        """Logits of both maps, from gray values in [0, 1]."""
        quarter = self.quarter(self.stem((gray - 0.5) * 4))
        eighth = self.eighth(quarter)
        sixteenth = self.sixteenth(eighth)
        x = self.merge_sixteenth(sixteenth + doubled(self.from_coarse(self.coarse(sixteenth))))
        x = self.merge_eighth(eighth + doubled(self.from_sixteenth(x)))
        x = self.merge_quarter(quarter + doubled(self.from_eighth(x)))
        return self.maps(x)


def doubled(x: Tensor) -> Tensor:
    return interpolate(x, scale_factor=2.0, mode="nearest")


def fused(network: nn.Module) -> nn.Module:
    """The same function without normalisation layers: their numbers go into the convolutions."""
    network = network.eval()
    plain = network.plain().eval()  # type: ignore[operator]
    units = dict(network.named_modules())
    with torch.no_grad():
        for name, module in plain.named_modules():
            trained = units[name]
            if isinstance(module, Unit) and isinstance(trained, Unit):
                merged = fuse_conv_bn_eval(cast(nn.Conv2d, trained[0]), cast(nn.BatchNorm2d, trained[1]))
                module[0].load_state_dict(merged.state_dict())
            elif isinstance(module, nn.Conv2d) and module.kernel_size == (1, 1):
                module.load_state_dict(trained.state_dict())
    return plain


HALF, QUARTER, EIGHTH, SIXTEENTH, COARSE = 16, 32, 48, 64, 96  # channels at each level


class CoarseNetwork(nn.Module):
    """Sees large text, and tells small text from anatomy, in an image of half the size.

    Nearly all of it works at an eighth of that size and below; the last layer gives each of those cells the four of
    the maps.
    """

    def __init__(self, *, training: bool = False) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            Unit(1, HALF, stride=2, training=training), Unit(HALF, QUARTER, stride=2, training=training)
        )
        self.eighth = stage(QUARTER, EIGHTH, 1, training)
        self.sixteenth = stage(EIGHTH, SIXTEENTH, 1, training)
        self.coarse = stage(SIXTEENTH, COARSE, 1, training)
        self.from_coarse = nn.Conv2d(COARSE, SIXTEENTH, 1)
        self.from_sixteenth = nn.Conv2d(SIXTEENTH, EIGHTH, 1)
        self.merge_sixteenth = Unit(SIXTEENTH, SIXTEENTH, training=training)
        self.merge_eighth = Unit(EIGHTH, EIGHTH, training=training)
        self.maps = nn.Conv2d(EIGHTH, 8, 1)

    def plain(self) -> CoarseNetwork:
        """One of the same size without normalisation."""
        return CoarseNetwork()

    def forward(self, gray: Tensor) -> Tensor:
        """Logits of both maps, from gray values in [0, 1]."""
        eighth = self.eighth(self.stem((gray - 0.5) * 4))
        sixteenth = self.sixteenth(eighth)
        x = self.merge_sixteenth(sixteenth + doubled(self.from_coarse(self.coarse(sixteenth))))
        x = self.merge_eighth(eighth + doubled(self.from_sixteenth(x)))
        return pixel_shuffle(self.maps(x), 2)
