"""Reading and writing weights. Nothing here unpickles: safetensors, or PyTorch's weights-only reader."""

from __future__ import annotations

import json
import pickle
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save
from torch import Tensor, nn

from medveil.errors import InputError
from medveil.runtime.storage import write_bytes

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


def read_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file or of a PyTorch file that holds nothing else."""
    try:
        if path.suffix == ".safetensors":
            return load_file(path)
        state = torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, SafetensorError, RuntimeError, ValueError, EOFError, pickle.UnpicklingError):
        raise InputError(f"{path} is not a readable file of weights; give .safetensors or a plain .pth") from None
    if not isinstance(state, dict) or not all(isinstance(value, Tensor) for value in state.values()):
        raise InputError(f"{path} holds more than named tensors; save the state dictionary alone")
    return dict(state)


def save_network(path: Path, network: nn.Module, architecture: Architecture) -> None:
    """Half precision weights and, in the header, how to build their network."""
    tensors = {
        name: (value.half() if value.is_floating_point() else value).contiguous().cpu()
        for name, value in network.state_dict().items()
        if not name.endswith("num_batches_tracked")
    }
    metadata = {"format": FORMAT, "architecture": json.dumps(asdict(architecture))}
    write_bytes(path, save(tensors, metadata))


def read_architecture(path: Path) -> Architecture:
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
        if metadata.get("format") != FORMAT:
            raise ValueError
        return Architecture(**json.loads(metadata["architecture"]))
    except (OSError, SafetensorError, ValueError, TypeError, KeyError):
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
