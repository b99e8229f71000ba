"""What the generator and its judge are trained to lower (equations 4 to 6 of the paper).

LPIPS is defined on VGG or AlexNet. Neither comes with a package, so the perceptual distance takes the features of an
EfficientNet: of the bundled identity network, which knows chest radiographs, or of any file of EfficientNet-lite
weights.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.identity.networks.backbones import BACKBONES, Backbone, build_backbone
from medveil.encoders.identity.networks.efficientnet_lite import EfficientNetLite
from medveil.encoders.identity.networks.model_file import load_into, read_architecture
from medveil.encoders.identity.networks.retrieval_network import RetrievalNetwork
from medveil.errors import InputError
from medveil.weights.bundled import bundled


def judge_loss(real: Tensor, painted: Tensor) -> Tensor:
    """Least squares: real patches towards 1, painted ones towards 0."""
    return ((real - 1) ** 2).mean() + (painted**2).mean()


def adversarial_loss(painted: Tensor) -> Tensor:
    """Low where the judge takes painted patches for real."""
    return ((painted - 1) ** 2).mean()


def masked_difference(painted: Tensor, image: Tensor, mask: Tensor) -> Tensor:
    """The mean difference where the mask is; with the mask's complement, the identity loss."""
    difference = (painted - image).abs() * mask
    return difference.sum() / (mask.sum() * image.shape[1]).clamp(min=1)


def total_variation(image: Tensor) -> Tensor:
    """The mean step between neighbours, across and down."""
    across = (image[..., :, 1:] - image[..., :, :-1]).abs().mean()
    down = (image[..., 1:, :] - image[..., :-1, :]).abs().mean()
    return across + down


DEPTHS = (0, 2, 4)  # blocks after which the features are compared: at a half, a fourth and an eighth of the side


class PerceptualDistance(nn.Module):
    """How different two images look to a trained network: the distance of their features at several depths.

    Images in -1..1, one channel or three; a distance for each pair. Its weights never change.
    """

    def __init__(self, features: Path | None = None) -> None:
        super().__init__()
        self.network = _load(features or bundled("reidentification-1")).eval().requires_grad_(False)

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        pairs = zip(self._features(first), self._features(second), strict=True)
        return torch.stack([((a - b) ** 2).sum(1).mean((1, 2)) for a, b in pairs]).mean(0)

    def summary(self, image: Tensor) -> Tensor:
        """One row of features for each image: the network's last maps, averaged."""
        maps: Tensor = self.network((image.mean(1, keepdim=True) + 1) / 2)
        return maps.float().mean((2, 3))

    def _features(self, image: Tensor) -> list[Tensor]:
        """Each place's features scaled to length one, so that no depth and no bright place dominates."""
        x = ((image.mean(1, keepdim=True) + 1) * 127.5 - 127) / 128
        x = functional.relu6(self.network._bn0(self.network._conv_stem(x.expand(-1, 3, -1, -1))))
        found = []
        for number, block in enumerate(list(self.network._blocks)[: DEPTHS[-1] + 1]):
            x = block(x)
            if number in DEPTHS:
                found.append(functional.normalize(x.float(), dim=1, eps=1e-6))
        return found


def _load(path: Path) -> EfficientNetLite:
    """From an identity model, or from the ImageNet weights of one of the EfficientNets."""
    if not path.is_file():
        raise InputError(f"{path} is not a file; give the weights of an EfficientNet-lite or an identity model")
    readers: list[Callable[[Path], Backbone]] = [_of_identity_model]
    readers += [partial(build_backbone, name) for name in BACKBONES]
    for read in readers:
        try:
            network = read(path)
        except InputError:
            continue
        if isinstance(network, EfficientNetLite):
            return network
    raise InputError(f"{path} does not hold an EfficientNet-lite; give its ImageNet weights or an identity model")


def _of_identity_model(path: Path) -> Backbone:
    architecture = read_architecture(path)
    model = RetrievalNetwork(architecture.backbone, architecture.head, architecture.dim)
    load_into(model, path)
    return model.backbone
