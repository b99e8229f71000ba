"""`FindingsFeatures`: what the findings network sees of a film before it names any finding."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.findings.network import SIDE, FindingsNetwork, load_findings
from medveil.encoders.identity.inference import for_device, inputs, run
from medveil.encoders.identity.networks.backbones import fold_normalisation
from medveil.encoders.identity.preparing import prepare
from medveil.runtime.once import once
from medveil.runtime.threads import one_torch_thread
from medveil.training.device import placed
from medveil.weights.bundled import bundled

Floats = NDArray[np.float32]


class _Pooled(nn.Module):
    """The mean of the last maps."""

    def __init__(self, network: FindingsNetwork) -> None:
        super().__init__()
        self.backbone = network.backbone

    def forward(self, gray: Tensor) -> Tensor:
        pooled: Tensor = functional.adaptive_avg_pool2d(self.backbone(gray).float(), 1).flatten(1)
        return pooled


class FindingsFeatures:
    """An encoder of films alone; its rows are not of unit length."""

    name = "findings"
    license = "Apache-2.0"

    def __init__(self, network: FindingsNetwork, *, fingerprint: str, device: str = "cpu") -> None:
        self.dim: int = network.backbone.channels
        self.fingerprint = fingerprint
        self._device = device
        with one_torch_thread():  # many small tensors
            folded = fold_normalisation(_Pooled(network).eval().requires_grad_(False))
        self._look = for_device(placed(folded, device), device)

    @property
    def prepare(self) -> Callable[[NDArray[Any]], NDArray[np.uint8]]:
        return prepare

    def encode_images(self, images: Iterable[NDArray[Any]]) -> Floats:
        return run(self._look, inputs(images, SIDE, self._device), self.dim)

    encode_prepared = encode_images  # preparing what is prepared changes nothing

    def encode_reports(self, texts: Iterable[str]) -> Floats:
        raise NotImplementedError("the findings network reads no text")


@once
def load_features(device: str = "cpu") -> FindingsFeatures:
    """The bundled one; kept, for compiling takes longer than looking at a few images."""
    path = bundled("findings")
    network, _ = load_findings(path)
    mark = hashlib.sha256(path.read_bytes()).hexdigest()
    return FindingsFeatures(network, fingerprint=f"{mark} features", device=device)
