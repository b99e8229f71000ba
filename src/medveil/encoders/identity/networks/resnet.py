"""ResNet-50 with torchvision's parameter names, so that its ImageNet weights load as they are."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional

STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))  # width, blocks, stride
EXPANSION = 4


class Bottleneck(nn.Module):
    """1 × 1, 3 × 3, 1 × 1 convolutions beside a shortcut."""

    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__()
        out = width * EXPANSION
        self.conv1 = nn.Conv2d(channels, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, out, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(out)
        self.downsample: nn.Module | None = None
        if stride != 1 or channels != out:
            self.downsample = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x: Tensor) -> Tensor:
        shortcut = x if self.downsample is None else self.downsample(x)
        x = functional.relu(self.bn1(self.conv1(x)))
        x = functional.relu(self.bn2(self.conv2(x)))
        return functional.relu(self.bn3(self.conv3(x)) + shortcut)


class ResNet50(nn.Module):
    """The convolutional part: gray images of 0..1 in, 2,048 maps of a 32nd of the side out."""

    channels = 2048
    classifier = ("fc.weight", "fc.bias")

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        channels = 64
        for number, (width, blocks, stride) in enumerate(STAGES, start=1):
            stage = nn.Sequential()
            for block in range(blocks):
                stage.append(Bottleneck(channels, width, stride if block == 0 else 1))
                channels = width * EXPANSION
            self.add_module(f"layer{number}", stage)

    def places(self) -> dict[str, nn.Module]:
        """Where attention can be looked at."""
        return {"first": self.conv1, "middle": self.get_submodule("layer2"), "last": self.get_submodule("layer4")}

    def forward(self, gray: Tensor) -> Tensor:
        # the mean and spread of ImageNet, averaged over its colours: a radiograph has none
        x = ((gray - 0.449) / 0.226).expand(-1, 3, -1, -1)
        x = functional.relu(self.bn1(self.conv1(x)))
        x = functional.max_pool2d(x, 3, 2, 1)
        for number in range(1, 5):
            x = self.get_submodule(f"layer{number}")(x)
        return x
