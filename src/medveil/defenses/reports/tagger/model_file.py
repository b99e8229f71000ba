"""The tagger's file: weights in eight bits (a scale a row), with vocabulary and settings inside."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from medveil.defenses.reports.tagger.network import CATEGORIES, TaggerNetwork
from medveil.defenses.reports.tagger.word_features import Vocabulary
from medveil.errors import InputError
from medveil.runtime.storage import write_bytes

FORMAT = "medveil.tagger/1"
_SCALE = ".scale"


@dataclass(frozen=True)
class TaggerModel:
    network: TaggerNetwork
    vocabulary: Vocabulary
    buckets: int
    sure: float  # a word goes free only if the network is at least so sure that it identifies nobody


def save_model(path: Path, network: TaggerNetwork, vocabulary: Vocabulary, *, sure: float) -> None:
    words = network.words
    about = {
        "pieces": vocabulary.pieces,
        "embedding": words.pieces.embedding_dim,
        "buckets": words.groups.num_embeddings,
        "width": words.narrow.out_features,
        "categories": CATEGORIES,
        "sure": sure,
    }
    tensors: dict[str, Tensor] = {}
    for name, value in network.state_dict().items():
        tensors |= _quantised(name, value.detach().cpu().float())
    write_bytes(path, save(tensors, {"format": FORMAT, "model": json.dumps(about, ensure_ascii=False)}))


def _quantised(name: str, value: Tensor) -> dict[str, Tensor]:
    """Matrices in eight bits; what is small stays as it is."""
    if value.dim() < 2 or value.numel() < 4096:
        return {name: value.contiguous()}
    scale = value.abs().amax(1).clamp_min(1e-8) / 127
    whole = (value / scale[:, None]).round().clamp(-127, 127).to(torch.int8)
    return {name: whole.contiguous(), name + _SCALE: scale.half().clamp_min(6e-8).contiguous()}


def load_model(path: Path) -> TaggerModel:
    """A model of `save_model`; every weight must be there and fit."""
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            stored = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        about = json.loads(metadata["model"])
        if metadata.get("format") != FORMAT or tuple(about["categories"]) != CATEGORIES:
            raise ValueError
        network = TaggerNetwork(
            len(about["pieces"]), int(about["embedding"]), int(about["buckets"]), int(about["width"])
        )
        model = TaggerModel(network, Vocabulary(about["pieces"]), int(about["buckets"]), float(about["sure"]))
        network.load_state_dict({name: _whole(name, stored) for name in stored if not name.endswith(_SCALE)})
    except (OSError, SafetensorError, ValueError, TypeError, KeyError, RuntimeError):
        raise InputError(f"{path} is not a tagger of this version; train it again") from None
    network.eval().requires_grad_(False)
    return model


def _whole(name: str, stored: dict[str, Tensor]) -> Tensor:
    value = stored[name].float()
    return value * stored[name + _SCALE].float()[:, None] if name + _SCALE in stored else value
