"""EfficientNet-lite: small networks without squeeze-and-excitation, made for ordinary processors."""

from __future__ import annotations

import math

from torch import Tensor, nn
from torch.nn import functional

# expansion, channels, blocks, stride, kernel of the smallest one
STAGES = (
    (1, 16, 1, 1, 3),
    (6, 24, 2, 2, 3),
    (6, 40, 2, 2, 5),
    (6, 80, 3, 2, 3),
    (6, 112, 3, 1, 5),
    (6, 192, 4, 2, 5),
    (6, 320, 1, 1, 3),
)


class SameConv(nn.Conv2d):
    """TensorFlow's "same" padding, which the ImageNet weights were trained with."""

    def __init__(self, channels: int, out: int, kernel: int, stride: int = 1, groups: int = 1) -> None:
        super().__init__(channels, out, kernel, stride, 0 if stride > 1 else kernel // 2, groups=groups, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        if self.stride[0] > 1:
            down, across = (self._padding(side) for side in x.shape[2:])
            x = functional.pad(x, (across // 2, across - across // 2, down // 2, down - down // 2))
        return super().forward(x)

    def _padding(self, side: int) -> int:
        stride, kernel = self.stride[0], self.kernel_size[0]
        return max((-(-side // stride) - 1) * stride + kernel - side, 0)


def _norm(channels: int) -> nn.BatchNorm2d:
    return nn.BatchNorm2d(channels, eps=1e-3, momentum=0.01)


class InvertedResidual(nn.Module):
    """Widen, filter every map by itself, narrow; beside a shortcut where the shape stays."""

    def __init__(self, channels: int, out: int, expansion: int, stride: int, kernel: int) -> None:
        super().__init__()
        wide = channels * expansion
        self.widens = expansion > 1
        self.shortcut = stride == 1 and channels == out
        if self.widens:
            self._expand_conv = SameConv(channels, wide, 1)
            self._bn0 = _norm(wide)
        self._depthwise_conv = SameConv(wide, wide, kernel, stride, groups=wide)
        self._bn1 = _norm(wide)
        self._project_conv = SameConv(wide, out, 1)
        self._bn2 = _norm(out)

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu6(self._bn0(self._expand_conv(x))) if self.widens else x
        y = functional.relu6(self._bn1(self._depthwise_conv(y)))
        y = self._bn2(self._project_conv(y))
        return x + y if self.shortcut else y


class EfficientNetLite(nn.Module):
    """The convolutional part: gray images of 0..1 in, 1,280 maps of a 32nd of the side out."""

    channels = 1280
    classifier = ("_fc.weight", "_fc.bias")
    width, depth = 1.0, 1.0

    def __init__(self) -> None:
        super().__init__()
        self._conv_stem = SameConv(3, 32, 3, 2)
        self._bn0 = _norm(32)
        self._blocks = nn.Sequential()
        self._middle = self.middle_channels = 0  # so many blocks lead to a 16th of the side
        channels, shrunk = 32, 2
        for number, (expansion, out, blocks, stride, kernel) in enumerate(STAGES):
            out = _wider(out, self.width)
            if 0 < number < len(STAGES) - 1:  # the first and the last stage stay as deep as they are
                blocks = math.ceil(blocks * self.depth)
            shrunk *= stride
            for block in range(blocks):
                self._blocks.append(InvertedResidual(channels, out, expansion, stride if block == 0 else 1, kernel))
                channels = out
            if shrunk == 16:
                self._middle, self.middle_channels = len(self._blocks), channels
        self._conv_head = SameConv(channels, self.channels, 1)
        self._bn1 = _norm(self.channels)

    def places(self) -> dict[str, nn.Module]:
        """Where attention can be looked at."""
        return {"first": self._conv_stem, "middle": self._blocks[self._middle - 1], "last": self._conv_head}

    def forward(self, gray: Tensor) -> Tensor:
        return functional.relu6(self._bn1(self._conv_head(self.narrow(gray))))

    def middle(self, gray: Tensor) -> Tensor:
        """The maps of a 16th of the side: 112 of them, or somewhat more in the wider networks."""
        x = ((gray * 255 - 127) / 128).expand(-1, 3, -1, -1)
        x = functional.relu6(self._bn0(self._conv_stem(x)))
        for number in range(self._middle):
            x = self._blocks[number](x)
        return x

    def narrow(self, gray: Tensor) -> Tensor:
        """The maps before the last layer widens them: 320 of them, or somewhat more in the wider networks."""
        x = ((gray * 255 - 127) / 128).expand(-1, 3, -1, -1)
        x = functional.relu6(self._bn0(self._conv_stem(x)))
        maps: Tensor = self._blocks(x)
        return maps

    def middle_and_narrow(self, gray: Tensor) -> tuple[Tensor, Tensor]:
        """Both kinds of maps for the price of the latter."""
        middle = x = self.middle(gray)
        for number in range(self._middle, len(self._blocks)):
            x = self._blocks[number](x)
        return middle, x


class EfficientNetLite0(EfficientNetLite):
    """3.4 million parameters."""


class EfficientNetLite1(EfficientNetLite):
    """4.1 million parameters."""

    depth = 1.1


class EfficientNetLite2(EfficientNetLite):
    """4.8 million parameters."""

    width, depth = 1.1, 1.2


def _wider(channels: int, width: float) -> int:
    """To the nearest multiple of eight, but never more than a tenth below."""
    rounded = max(8, int(channels * width + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * channels * width else rounded
