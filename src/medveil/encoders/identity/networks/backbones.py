"""The convolutional networks to build on, by name, and their ImageNet start."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from medveil.encoders.identity.networks.efficientnet_lite import (
    EfficientNetLite,
    EfficientNetLite0,
    EfficientNetLite1,
    EfficientNetLite2,
)
from medveil.encoders.identity.networks.resnet import ResNet50
from medveil.encoders.identity.networks.small_resnet import SmallResNet
from medveil.errors import InputError, SettingsError
from medveil.training.checkpoint import read_tensors

Given = TypeVar("Given", bound=nn.Module)
Backbone = ResNet50 | SmallResNet | EfficientNetLite
BACKBONES: dict[str, type[Backbone]] = {
    "resnet50": ResNet50,
    "resnet-small": SmallResNet,
    "efficientnet-lite0": EfficientNetLite0,
    "efficientnet-lite1": EfficientNetLite1,
    "efficientnet-lite2": EfficientNetLite2,
}

# a convolution and the normalisation that follows it, as the two networks name them
_PAIRS = (
    ("conv1", "bn1"),
    ("conv2", "bn2"),
    ("conv3", "bn3"),
    ("0", "1"),
    ("_conv_stem", "_bn0"),
    ("_expand_conv", "_bn0"),
    ("_depthwise_conv", "_bn1"),
    ("_project_conv", "_bn2"),
    ("_conv_head", "_bn1"),
)


def build_backbone(name: str, start: Path | None = None) -> Backbone:
    """A backbone with random weights, or with those of an ImageNet classifier given as a file."""
    if name not in BACKBONES:
        raise SettingsError(f"there is no backbone of that name; choose one of {', '.join(sorted(BACKBONES))}")
    backbone = BACKBONES[name]()
    if start is not None:
        tensors = {key: value for key, value in read_tensors(start).items() if key not in backbone.classifier}
        try:
            backbone.load_state_dict(tensors, strict=True)
        except RuntimeError:
            raise InputError(f"{start} does not hold the weights of {name}; give a file of that network") from None
    return backbone


def fold_normalisation(network: Given) -> Given:
    """Batch normalisation folded into the convolutions before it: the same function, fewer passes over memory."""
    for module in list(network.modules()):
        children = dict(module.named_children())
        for convolution, norm in _PAIRS:
            first, second = children.get(convolution), children.get(norm)
            if isinstance(first, nn.Conv2d) and isinstance(second, nn.BatchNorm2d):
                with torch.no_grad():
                    setattr(module, convolution, fuse_conv_bn_eval(first.eval(), second.eval()))
                setattr(module, norm, nn.Identity())
    return network
