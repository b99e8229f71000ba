"""A residual network of plain convolutions, small enough to come with medveil."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional

WIDTHS = (24, 48, 96, 136)
BLOCKS = 2  # a width


class PlainBlock(nn.Module):
    """Two 3 × 3 convolutions beside a shortcut."""

    def __init__(self, channels: int, out: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(out)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(out)
        self.downsample: nn.Module | None = None
        if stride != 1 or channels != out:
            self.downsample = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x: Tensor) -> Tensor:
        shortcut = x if self.downsample is None else self.downsample(x)
        x = functional.relu(self.bn1(self.conv1(x)))
        return functional.relu(self.bn2(self.conv2(x)) + shortcut)


class SmallResNet(nn.Module):
    """1.1 million parameters: gray images of 0..1 in, 512 maps of a 32nd of the side out."""

    channels = 512
    classifier = ()  # nobody has trained one on ImageNet

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, WIDTHS[0], 5, 2, 2, bias=False)
        self.bn1 = nn.BatchNorm2d(WIDTHS[0])
        self.stages = nn.Sequential()
        channels = WIDTHS[0]
        for number, width in enumerate(WIDTHS):
            for block in range(BLOCKS):
                self.stages.append(PlainBlock(channels, width, 2 if number and not block else 1))
                channels = width
        self.conv2 = nn.Conv2d(channels, self.channels, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(self.channels)

    def places(self) -> dict[str, nn.Module]:
        """Where attention can be looked at."""
        return {"first": self.conv1, "middle": self.stages[len(self.stages) // 2], "last": self.conv2}

    def forward(self, gray: Tensor) -> Tensor:
        x = functional.relu(self.bn1(self.conv1((gray - 0.5) / 0.25)))
        x = self.stages(functional.max_pool2d(x, 3, 2, 1))
        return functional.relu(self.bn2(self.conv2(x)))
