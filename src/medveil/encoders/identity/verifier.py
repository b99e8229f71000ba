"""The verification network: the probability that two radiographs show the same person."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from medveil.encoders.identity.embedder import IdentityEmbedder, load_embedder
from medveil.encoders.identity.grad_cam import heat, watched
from medveil.encoders.identity.inference import for_device, inputs, run
from medveil.encoders.identity.networks.backbones import fold_normalisation
from medveil.encoders.identity.networks.model_file import fingerprint, load_into, read_architecture
from medveil.encoders.identity.networks.retrieval_network import RetrievalNetwork
from medveil.encoders.identity.preparing import Preparation
from medveil.errors import InputError
from medveil.runtime.threads import one_torch_thread
from medveil.training.device import placed
from medveil.weights.bundled import bundled, read_card

Floats = NDArray[np.float32]
Place = Literal["first", "middle", "last"]
PLACES: tuple[Place, ...] = ("first", "middle", "last")
BLOCK = 4096  # pairs compared at once


class VerificationNetwork(nn.Module):
    """Two branches with the same weights, the absolute difference of their sigmoids, and one neuron."""

    def __init__(self, backbone: str, head: str, dim: int, start: Path | None = None) -> None:
        super().__init__()
        self.branch = RetrievalNetwork(backbone, head, dim, start)
        self.decide = nn.Linear(dim, 1)

    def forward(self, gray: Tensor) -> Tensor:
        """The branch's output, squashed to 0..1: all that is needed of an image to compare it with any other."""
        return torch.sigmoid(self.branch(gray).float())

    def compare(self, a: Tensor, b: Tensor) -> Tensor:
        """Logits for pairs of branch outputs."""
        return self.decide((a - b).abs()).squeeze(-1)


class Verifier:
    """A trained verification network. One pass an image, however many pairs it is part of."""

    def __init__(
        self,
        network: VerificationNetwork,
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
        self.dim = network.decide.in_features
        self.device = device
        self.card = card
        self._weight = network.decide.weight.detach().float().cpu().numpy()[0]
        self._bias = float(network.decide.bias.detach().item())
        self._network = placed(fold_normalisation(network.eval().requires_grad_(False)), device)
        self._look = for_device(self._network, device)

    def embed(self, images: Iterable[NDArray[Any]]) -> Floats:
        """Branch outputs, n × dim, each value in 0..1."""
        return run(self._look, inputs(images, self.size, self.device, self.preparation), self.dim)

    def logits(self, a: Floats, b: Floats) -> Floats:
        """What the probability comes from, pair by pair: finer than itself where it is nearly 0 or 1."""
        return np.abs(a - b) @ self._weight + np.float32(self._bias)

    def compare(self, a: Floats, b: Floats) -> Floats:
        """The probability of being the same person for rows of branch outputs, pair by pair."""
        out = np.empty(len(a), dtype=np.float32)
        for start in range(0, len(a), BLOCK):
            rows = slice(start, start + BLOCK)
            out[rows] = 1 / (1 + np.exp(-np.clip(self.logits(a[rows], b[rows]), -60, 60)))
        return out

    def score(self, images_a: Iterable[NDArray[Any]], images_b: Iterable[NDArray[Any]]) -> Floats:
        """The same for pairs of images."""
        return self.compare(self.embed(images_a), self.embed(images_b))

    def attention(self, a: NDArray[Any], b: NDArray[Any], place: Place = "last") -> tuple[Floats, Floats]:
        """Two maps (size × size, 0..1): what in each image speaks for one person, by Grad-CAM at a layer."""
        pair = next(inputs([a, b], self.size, self.device, self.preparation))
        backbone = self._network.branch.backbone
        with one_torch_thread(), watched(backbone.places()[place]) as seen:
            outputs = self._network(pair)
            logit = self._network.compare(outputs[:1], outputs[1:])
            maps = seen[0]
            (gradient,) = torch.autograd.grad(logit.sum(), maps)
        first, second = heat(maps.detach(), gradient, pair.shape[2:]).cpu().numpy()
        return first, second


def load_recogniser(path: Path | None, *, device: str = "cpu") -> IdentityEmbedder | Verifier:
    """The network of a file, whichever of the two kinds it is; the word `verification` is the bundled verifier."""
    if path == Path("verification") and not path.exists():
        return load_verifier(device=device)
    if path is not None and read_architecture(path).kind == "verification":
        return load_verifier(path, device=device)
    return load_embedder(path, device=device)


def load_verifier(path: Path | None = None, *, device: str = "cpu") -> Verifier:
    """A verifier saved by training; without a path, the bundled one."""
    path = bundled("verification") if path is None else path
    architecture = read_architecture(path)
    if architecture.kind != "verification":
        raise InputError(f"{path} is a {architecture.kind} model; give one trained for verification")
    network = VerificationNetwork(architecture.backbone, architecture.head, architecture.dim)
    load_into(network, path)
    card = read_card(path)
    return Verifier(
        network,
        architecture.size,
        name=str(card["name"]) if "name" in card else fingerprint([path]),
        device=device,
        card=card,
        preparation=architecture.preparation,
    )
