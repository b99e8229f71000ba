"""`IdentityEmbedder`: trained retrieval networks, from radiographs to vectors of unit length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.identity.inference import for_device, inputs, run
from medveil.encoders.identity.networks.backbones import fold_normalisation
from medveil.encoders.identity.networks.model_file import fingerprint, read_architecture
from medveil.encoders.identity.networks.retrieval_network import RetrievalNetwork, load_retrieval
from medveil.encoders.identity.preparing import Preparation
from medveil.errors import InputError
from medveil.runtime.once import once
from medveil.runtime.threads import one_torch_thread
from medveil.training.device import placed
from medveil.weights.bundled import RETRIEVERS, bundled, read_card

Image = NDArray[Any]
Floats = NDArray[np.float32]


class Ensemble(nn.Module):
    """Several retrieval networks that look at an image together: each errs elsewhere, so the mean errs less.

    Gray images of 0..1 (n × 1 × side × side) to vectors of unit length: the members' own, side by side.

    The inner product of two such vectors is the mean of what the members find. One network is an ensemble too.
    """

    def __init__(self, members: Sequence[RetrievalNetwork]) -> None:
        super().__init__()
        self.members: Sequence[RetrievalNetwork] = nn.ModuleList(members)  # type: ignore[assignment]

    def forward(self, gray: Tensor) -> Tensor:
        units = [functional.normalize(member(gray).float(), dim=1) for member in self.members]
        return torch.cat(units, 1) / len(units) ** 0.5

    def attention(self, pair: Tensor) -> Tensor:
        """What in each of two images makes them alike to the members on average: 2 × side × side, 0..1, by Grad-CAM."""
        heat = torch.stack([_grad_cam(member, pair) for member in self.members]).mean(0)
        return heat / heat.amax((1, 2), keepdim=True).clamp(min=1e-12)


def _grad_cam(network: RetrievalNetwork, pair: Tensor) -> Tensor:
    """In units of similarity, so that a member counts by how much it finds."""
    with torch.enable_grad():
        maps = network.backbone(pair).detach().requires_grad_(True)
        unit = functional.normalize(network.head(maps).float(), dim=1)
        (gradient,) = torch.autograd.grad(unit[0] @ unit[1], maps)
    weights = gradient.mean((2, 3), keepdim=True)
    heat = functional.relu((weights * maps.detach()).sum(1, keepdim=True))
    return functional.interpolate(heat, size=pair.shape[2:], mode="bilinear", align_corners=False)[:, 0]


class IdentityEmbedder:
    """Images of one person lie close together: compare the vectors by inner product."""

    def __init__(
        self,
        networks: Sequence[RetrievalNetwork],
        size: int,
        *,
        name: str,
        device: str,
        card: dict[str, Any],
        preparation: Preparation | None = None,
    ) -> None:
        self.name = name
        self.size = size
        self.preparation = preparation or Preparation.of(size)
        self.dim = sum(network.dim for network in networks)
        self.device = device
        self.card = card
        with one_torch_thread():  # many small tensors
            folded = fold_normalisation(Ensemble(networks).eval().requires_grad_(False))
        self._ensemble = placed(folded, device)
        self._look = for_device(self._ensemble, device)

    def embed(self, images: Iterable[Image]) -> Floats:
        """n × dim, each row of unit length. Any size and bit depth; bright is dense."""
        return run(self._look, inputs(images, self.size, self.device, self.preparation), self.dim)

    def attention(self, a: Image, b: Image) -> tuple[Floats, Floats]:
        """Two maps (size × size, 0..1): what in each image makes the pair similar."""
        pair = next(inputs([a, b], self.size, self.device, self.preparation))
        with one_torch_thread():  # two images are less work than sharing them between threads
            first, second = self._ensemble.attention(pair).cpu().numpy()
        return first, second


def load_embedder(path: Path | None = None, *, device: str = "cpu", size: int | None = None) -> IdentityEmbedder:
    """An embedder saved by training; without a path, the bundled one, whose two networks look together.

    With `size`, it looks at so many pixels a side instead of those it was trained on.
    """
    if path is not None:
        return load_together([path], device=device, card=read_card(path), size=size)
    if size is not None:
        return load_together(_members(), device=device, card=_card(), size=size)
    return _bundled(device)


@once
def _bundled(device: str) -> IdentityEmbedder:
    """Kept, for compiling takes longer than looking at a few images."""
    return load_together(_members(), device=device, card=_card())


def _members() -> list[Path]:
    return [bundled(member) for member in RETRIEVERS]


def _card() -> dict[str, Any]:
    return read_card(bundled("reidentification"))


def load_together(
    paths: Sequence[Path], *, device: str = "cpu", card: dict[str, Any], size: int | None = None
) -> IdentityEmbedder:
    """The ensemble of models saved by training, which must look at images of one size."""
    with one_torch_thread():  # many small tensors
        networks = [load_retrieval(path)[0] for path in paths]
    trained, *others = (read_architecture(path) for path in paths)
    if any((other.size, other.stretched) != (trained.size, trained.stretched) for other in others):
        raise InputError(f"{paths[0]} and its companions look at images of different sizes; train them at one")
    name = str(card["name"]) if "name" in card else fingerprint(paths)
    size = size or trained.size
    return IdentityEmbedder(
        networks,
        size,
        name=name if size == trained.size else f"{name} at {size}",
        device=device,
        card=card,
        preparation=Preparation.of(size, stretched=trained.stretched),
    )
