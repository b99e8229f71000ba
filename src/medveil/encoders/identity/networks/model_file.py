"""The file of an identity network: its weights, and in the header how to build it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from torch import nn

from medveil.encoders.identity.preparing import Preparation
from medveil.errors import InputError
from medveil.training.checkpoint import read_header, read_tensors, write_model

Kind = Literal["verification", "reidentification"]
FORMAT = "medveil.identity/1"


@dataclass(frozen=True)
class Architecture:
    """What must be known to build a network before its weights are loaded."""

    kind: Kind
    backbone: str = "efficientnet-lite0"
    head: str = "global"
    dim: int = 128
    size: int = 256
    stretched: bool = True  # gray levels, to the full range

    @property
    def preparation(self) -> Preparation:
        """What is to be made of an image before the network looks at it."""
        return Preparation.of(self.size, stretched=self.stretched)


def save_network(path: Path, network: nn.Module, architecture: Architecture) -> None:
    tensors = {name: value for name, value in network.state_dict().items() if not name.endswith("num_batches_tracked")}
    write_model(path, tensors, form=FORMAT, architecture=asdict(architecture))


def read_architecture(path: Path) -> Architecture:
    try:
        return Architecture(**read_header(path, form=FORMAT))
    except (ValueError, TypeError):
        raise InputError(f"{path} is not an identity model of this version; train one with `medveil train`") from None


def load_into(network: nn.Module, path: Path) -> None:
    """Weights of `save_network` into a network of the same architecture."""
    tensors = {name: value.float() for name, value in read_tensors(path).items()}
    wanted = {name for name in network.state_dict() if not name.endswith("num_batches_tracked")}
    if wanted != set(tensors):
        raise InputError(f"{path} does not fit the network it names; train it again")
    try:
        network.load_state_dict(tensors, strict=False)
    except RuntimeError:
        raise InputError(f"{path} does not fit the network it names; train it again") from None


def fingerprint(paths: Sequence[Path]) -> str:
    """Without a card to tell models apart by, what they are made of: vectors kept of one must not serve another."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]
