"""The file of an identity network: its weights, and in the header how to build it.

A verification network may leave its branches to the retrieval network beside it whose they are; its own file then holds
what differs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor, nn

from medveil.encoders.identity.preparing import Preparation
from medveil.errors import InputError
from medveil.training.checkpoint import read_header, read_tensors, write_model

Kind = Literal["verification", "reidentification"]
FORMAT = "medveil.identity/1"
BRANCH = "branch."  # what a verification network's weights are called that a retrieval network has too


@dataclass(frozen=True)
class Architecture:
    """What must be known to build a network before its weights are loaded."""

    kind: Kind
    backbone: str = "efficientnet-lite0"
    head: str = "global"
    dim: int = 128
    size: int = 256
    stretched: bool = True  # gray levels, to the full range
    branches: str | None = None  # the file beside it that holds what is not in its own

    @property
    def preparation(self) -> Preparation:
        """What is to be made of an image before the network looks at it."""
        return Preparation.of(self.size, stretched=self.stretched)


def save_network(path: Path, network: nn.Module, architecture: Architecture) -> None:
    tensors = {name: value for name, value in network.state_dict().items() if not name.endswith("num_batches_tracked")}
    write_model(path, tensors, form=FORMAT, architecture=asdict(architecture))


def leave_branches(path: Path, beside: Path) -> None:
    """Write a verification network again without the weights that the retrieval network beside it holds already."""
    shared = {f"{BRANCH}{name}": value for name, value in read_tensors(beside).items()}
    own = {
        name: value
        for name, value in read_tensors(path).items()
        if name not in shared or not torch.equal(value, shared[name])
    }
    write_model(path, own, form=FORMAT, architecture=asdict(replace(read_architecture(path), branches=beside.name)))


def read_architecture(path: Path) -> Architecture:
    try:
        return Architecture(**read_header(path, form=FORMAT))
    except (ValueError, TypeError):
        raise InputError(f"{path} is not an identity model of this version; train one with `medveil train`") from None


def load_into(network: nn.Module, path: Path) -> None:
    """Weights of `save_network` into a network of the same architecture."""
    tensors = {name: value.float() for name, value in _all_tensors(path).items()}
    wanted = {name for name in network.state_dict() if not name.endswith("num_batches_tracked")}
    if wanted != set(tensors):
        raise InputError(f"{path} does not fit the network it names; train it again")
    try:
        network.load_state_dict(tensors, strict=False)
    except RuntimeError:
        raise InputError(f"{path} does not fit the network it names; train it again") from None


def _all_tensors(path: Path) -> dict[str, Tensor]:
    own, beside = read_tensors(path), _branches_of(path)
    if beside is None:
        return own
    file = path.with_name(Path(beside).name)
    if not file.is_file():
        raise InputError(f"{path} shares its branches with {file.name}, which is not beside it; put it there")
    return {f"{BRANCH}{name}": value for name, value in read_tensors(file).items()} | own


def _branches_of(path: Path) -> str | None:
    """The file that holds a verification network's branches; a network of another kind holds everything itself."""
    try:
        return Architecture(**read_header(path, form=FORMAT)).branches
    except (ValueError, TypeError):
        return None


def fingerprint(paths: Sequence[Path]) -> str:
    """Without a card to tell models apart by, what they are made of: vectors kept of one must not serve another."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]
