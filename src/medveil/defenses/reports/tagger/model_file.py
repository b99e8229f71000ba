"""The tagger's file: weights in eight bits (a scale a row), with vocabulary and settings inside.

Networks that are asked together share their word pieces, which are most of it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from medveil.defenses.reports.tagger.network import CATEGORIES, TaggerNetwork
from medveil.defenses.reports.tagger.word_features import Vocabulary
from medveil.errors import InputError
from medveil.runtime.storage import write_bytes

FORMAT = "medveil.tagger/2"
_SCALE = ".scale"
_PIECES = "words.pieces.weight"


@dataclass(frozen=True)
class TaggerModel:
    networks: tuple[TaggerNetwork, ...]  # what they say is averaged
    vocabulary: Vocabulary
    buckets: int
    sure: float  # a word goes free only if they are at least so sure that it identifies nobody


def save_model(path: Path, networks: Sequence[TaggerNetwork], vocabulary: Vocabulary, *, sure: float) -> None:
    about = {
        "pieces": vocabulary.pieces,
        "embedding": networks[0].words.pieces.embedding_dim,
        "buckets": networks[0].words.groups.num_embeddings,
        "widths": [network.words.narrow.out_features for network in networks],
        "categories": CATEGORIES,
        "sure": sure,
    }
    tensors = _quantised(_PIECES, networks[0].words.pieces.weight.detach().cpu().float())
    for number, network in enumerate(networks):
        for name, value in network.state_dict().items():
            if name != _PIECES:
                tensors |= _quantised(f"{number}.{name}", value.detach().cpu().float())
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
        whole = {name: _whole(name, stored) for name in stored if not name.endswith(_SCALE)}
        pieces, buckets = whole.pop(_PIECES), int(about["buckets"])
        networks = tuple(TaggerNetwork(0, pieces.shape[1], buckets, int(width)) for width in about["widths"])
        for number, network in enumerate(networks):
            own = {name.partition(".")[2]: value for name, value in whole.items() if name.startswith(f"{number}.")}
            network.words.pieces = nn.EmbeddingBag.from_pretrained(pieces, mode="mean")
            network.load_state_dict({_PIECES: pieces} | own)
            network.eval().requires_grad_(False)
        if len(pieces) != len(about["pieces"]) or not networks:
            raise ValueError
        model = TaggerModel(networks, Vocabulary(about["pieces"]), buckets, float(about["sure"]))
    except (OSError, SafetensorError, ValueError, TypeError, KeyError, RuntimeError):
        raise InputError(f"{path} is not a tagger of this version; train it again") from None
    return model


def _whole(name: str, stored: dict[str, Tensor]) -> Tensor:
    value = stored[name].float()
    return value * stored[name + _SCALE].float()[:, None] if name + _SCALE in stored else value
