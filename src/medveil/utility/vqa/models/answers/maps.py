"""What the answer model sees of an image: the maps of the bundled findings network, at 8 × 8 places."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.findings.network import load_findings
from medveil.encoders.identity.inference import as_input, for_device
from medveil.encoders.identity.networks.backbones import fold_normalisation
from medveil.encoders.identity.networks.efficientnet_lite import EfficientNetLite
from medveil.encoders.identity.preparing import SIDE
from medveil.runtime.once import once
from medveil.runtime.threads import one_torch_thread
from medveil.training.device import placed
from medveil.utility.vqa.models.answers.network import MAPS, PLACES
from medveil.weights.bundled import bundled

_BATCH = 8


class _Maps(nn.Module):
    """The last maps, and of the finer ones before them the mean and the strongest at each place."""

    def __init__(self, backbone: EfficientNetLite) -> None:
        super().__init__()
        self.backbone = backbone

    def forward(self, gray: Tensor) -> Tensor:
        fine, coarse = self.backbone.middle_and_narrow(gray)
        parts = [coarse, functional.avg_pool2d(fine, 2), functional.max_pool2d(fine, 2)]
        return torch.cat(parts, 1).flatten(2).transpose(1, 2).float()


def maps_of(images: Iterable[NDArray[np.uint8]], device: str = "cpu") -> Tensor:
    """Of images as `preparing.as_seen` gives them: n × places × maps."""
    look, source = _network(device), iter(images)
    found = [torch.zeros(0, PLACES, MAPS)]
    with torch.inference_mode():
        while group := list(islice(source, _BATCH)):
            found.append(look(as_input(torch.from_numpy(np.stack(group)).to(device), SIDE)).float().cpu())
    return torch.cat(found)


@once
def _network(device: str) -> Callable[[Tensor], Tensor]:
    """Kept, for compiling takes longer than looking at a few images."""
    network, _ = load_findings(bundled("findings"))
    assert isinstance(network.backbone, EfficientNetLite)
    with one_torch_thread():  # many small tensors
        folded = fold_normalisation(_Maps(network.backbone).eval().requires_grad_(False))
    return for_device(placed(folded, device), device)
