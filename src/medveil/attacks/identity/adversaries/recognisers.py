"""The networks that know people already: the bundled pair, and one of another architecture that no defense has seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from medveil.attacks.identity.adversaries.films import Films, on_device
from medveil.encoders.identity.embedder import Ensemble
from medveil.encoders.identity.inference import FEW, as_input, for_device
from medveil.encoders.identity.networks.backbones import fold_normalisation
from medveil.encoders.identity.networks.model_file import read_architecture
from medveil.encoders.identity.networks.retrieval_network import RetrievalNetwork, load_retrieval
from medveil.encoders.identity.preparing import Preparation
from medveil.errors import InputError
from medveil.runtime.once import MadeOnce, once
from medveil.training.device import autocast, check_device, placed
from medveil.weights.bundled import OTHER_RETRIEVER, RETRIEVERS, bundled

MANY = 256  # films at once, on an accelerator

Look = Callable[[Tensor], Tensor]


class Recogniser:
    """Retrieval networks that look at films together, as they are."""

    def __init__(self, networks: list[RetrievalNetwork], size: int, device: str) -> None:
        self.size, self.device = size, device
        ensemble = fold_normalisation(Ensemble(networks).eval().requires_grad_(False))
        self._look = for_device(placed(ensemble, device), device)
        self._known = MadeOnce[Tensor]()

    def vectors(self, films: Tensor) -> Tensor:
        """n × dim of unit length, of stretched films of 8 bits."""
        return looked_at(self._look, films, self.size, self.device)

    def originals(self, films: Films) -> Tensor:
        """The same of originals, which come again with the next defense."""
        return self._known.get(films.original_digest, lambda: self.vectors(on_device(films.original, self.device)))


class Recognisers:
    """All that an attacker starts from, on one device."""

    def __init__(self, pair: list[Path], other: Path | None, device: str) -> None:
        networks, sizes = zip(*(load_retrieval(path) for path in pair), strict=True)
        self.device = device
        self.start = pair[0]  # of retraining
        self.pair = Recogniser(list(networks), sizes[0], device)
        self.learned = MadeOnce[Any]()  # how originals are seen, see `originals`
        self.other: Recogniser | None = None
        if other is not None:
            if read_architecture(other).preparation != Preparation():
                raise InputError(
                    f"{other} looks at more pixels than these attackers keep of a film, or at gray levels as stored; "
                    "give a network trained at 256 pixels with `--recipe small`"
                )
            network, size = load_retrieval(other)
            self.other = Recogniser([network], size, device)


def load_recognisers(*, device: str = "cpu", other: Path | None = None) -> Recognisers:
    """The bundled networks; `other` is a retrieval network of another architecture, instead of the bundled one."""
    check_device(device)
    at_hand = bundled(OTHER_RETRIEVER)
    return _loaded(device, at_hand if other is None and at_hand.is_file() else other)


@once
def _loaded(device: str, other: Path | None) -> Recognisers:
    """Kept, and with them what they made of originals: a release is attacked before and after."""
    return Recognisers([bundled(name) for name in RETRIEVERS], other, device)


def looked_at(look: Look, films: Tensor, size: int, device: str) -> Tensor:
    """What a network says of each film, batch by batch."""
    batch = FEW if torch.device(device).type == "cpu" else MANY
    with torch.no_grad(), autocast(device):
        return torch.cat([look(as_input(part, size)).float() for part in torch.split(films, batch)])
