"""The rewriter's file: weights in eight bits (a scale a row), with its lists of words and its sizes inside."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from medveil.defenses.reports.rewriter.network import RewriterNetwork, Sizes
from medveil.defenses.reports.rewriter.plain_words import PlainWords
from medveil.defenses.reports.rewriter.tokens import KINDS
from medveil.errors import InputError
from medveil.runtime.storage import write_bytes

FORMAT = "medveil.rewriter/1"
_SCALE = ".scale"


@dataclass(frozen=True)
class RewriterModel:
    network: RewriterNetwork
    plain: PlainWords


def save_model(path: Path, model: RewriterModel) -> None:
    plain = model.plain
    about = {
        "leaves": sorted(plain.leaves),
        "titles": sorted(plain.titles),
        "written": plain.written,
        "kinds": KINDS,
        "sizes": asdict(model.network.sizes),
    }
    tensors: dict[str, Tensor] = {}
    for name, value in model.network.state_dict().items():
        tensors |= _quantised(name, value.detach().float())
    write_bytes(path, save(tensors, {"format": FORMAT, "model": json.dumps(about, ensure_ascii=False)}))


def _quantised(name: str, value: Tensor) -> dict[str, Tensor]:
    """Matrices in eight bits; what is small stays as it is."""
    if value.dim() < 2 or value.numel() < 4096:
        return {name: value.contiguous()}
    scale = (value.abs().amax(1).clamp_min(1e-6) / 127).half()
    whole = (value / scale.float()[:, None]).round().clamp(-127, 127).to(torch.int8)
    return {name: whole.contiguous(), name + _SCALE: scale.contiguous()}


def load_model(path: Path) -> RewriterModel:
    """A model of `save_model`; every weight must be there and fit."""
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            stored = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        about = json.loads(metadata["model"])
        if metadata.get("format") != FORMAT or tuple(about["kinds"]) != KINDS:
            raise ValueError
        plain = PlainWords(frozenset(about["leaves"]), frozenset(about["titles"]), tuple(about["written"]))
        network = RewriterNetwork(len(plain.written), Sizes(**about["sizes"]))
        network.load_state_dict({name: _whole(name, stored) for name in stored if not name.endswith(_SCALE)})
    except (OSError, SafetensorError, ValueError, TypeError, KeyError, RuntimeError):
        raise InputError(f"{path} is not a rewriter of this version; train it again") from None
    network.eval().requires_grad_(False)
    return RewriterModel(network, plain)


def _whole(name: str, stored: dict[str, Tensor]) -> Tensor:
    value = stored[name].float()
    return value * stored[name + _SCALE].float()[:, None] if name + _SCALE in stored else value
