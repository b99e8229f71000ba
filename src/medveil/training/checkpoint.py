"""Reading and writing weights and the state of a run. Nothing here unpickles: safetensors, or PyTorch's weights-only
reader. A file appears whole or not at all.
"""

from __future__ import annotations

import json
import pickle
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save
from torch import Tensor

from medveil.errors import InputError
from medveil.runtime.storage import atomic_path, write_bytes

_UNREADABLE = (  # the last line is what PyTorch's reader raises on bytes that mean nothing
    *(OSError, SafetensorError, RuntimeError, ValueError, EOFError, pickle.UnpicklingError),
    *(LookupError, TypeError, AttributeError, struct.error),
)


def read_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file or of a PyTorch file that holds nothing else."""
    try:
        if path.suffix == ".safetensors":
            return load_file(path)
        state = torch.load(path, map_location="cpu", weights_only=True)
    except _UNREADABLE:
        raise InputError(f"{path} is not a readable file of weights; give .safetensors or a plain .pth") from None
    if not isinstance(state, dict) or not all(isinstance(value, Tensor) for value in state.values()):
        raise InputError(f"{path} holds more than named tensors; save the state dictionary alone")
    return dict(state)


def write_model(path: Path, tensors: Mapping[str, Tensor], *, form: str, architecture: Mapping[str, Any]) -> None:
    """Half precision weights and, in the header, the format's name and how to build their network."""
    halved = {
        name: (value.half() if value.is_floating_point() else value).contiguous().cpu()
        for name, value in tensors.items()
    }
    write_bytes(path, save(halved, {"format": form, "architecture": json.dumps(dict(architecture))}))


def read_header(path: Path, *, form: str) -> dict[str, Any]:
    """How to build the network, or ValueError where the file is not of this format."""
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
        architecture = json.loads(metadata["architecture"])
    except (OSError, SafetensorError, KeyError):
        raise ValueError from None
    if metadata.get("format") != form or not isinstance(architecture, dict):
        raise ValueError
    return architecture


def save_state(path: Path, state: Mapping[str, Any]) -> None:
    """Tensors, numbers and text in any nesting."""
    with atomic_path(path) as temporary:
        torch.save(dict(state), temporary)


def load_state(path: Path, device: str) -> dict[str, Any]:
    """What `save_state` wrote; empty where there is nothing yet."""
    if not path.is_file():
        return {}
    try:
        state = torch.load(path, map_location=device, weights_only=True)
    except _UNREADABLE:
        state = None
    if not isinstance(state, dict):
        raise InputError(f"{path} is not the state of a run; remove it or choose another folder")
    return state
