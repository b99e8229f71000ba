"""The two networks as one model, and its file: half-precision weights that carry their own vocabulary."""

from __future__ import annotations

import json
from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.medveil_small.networks import ImageNetwork, ReportNetwork
from medveil.encoders.medveil_small.vocabulary import Tokenizer, Words
from medveil.errors import InputError
from medveil.runtime.storage import write_bytes

FORMAT = "medveil.small/1"


class SmallModel(nn.Module):
    """Radiographs and reports into one space of `dim` dimensions, in which a pair lies close together."""

    def __init__(self, tokenizer: Tokenizer, dim: int = 128) -> None:
        super().__init__()
        self.tokenizer = tokenizer
        self.dim = dim
        self.image = ImageNetwork(dim)
        self.report = ReportNetwork(len(tokenizer.vocabulary), tokenizer.buckets, dim)

    def images(self, gray: Tensor) -> Tensor:
        return functional.normalize(self.image(gray).float(), dim=1)

    def reports(self, words: Words) -> Tensor:
        return functional.normalize(self.report(words).float(), dim=1)


def save_model(path: Path, model: SmallModel) -> None:
    tensors = {
        name: (value.half() if value.is_floating_point() else value).contiguous().cpu()
        for name, value in model.state_dict().items()
        if not name.endswith("num_batches_tracked")
    }
    tokenizer = model.tokenizer
    about = {"vocabulary": tokenizer.vocabulary, "buckets": tokenizer.buckets, "dim": model.dim}
    write_bytes(path, save(tensors, {"format": FORMAT, "model": json.dumps(about, ensure_ascii=False)}))


def load_model(path: Path) -> SmallModel:
    """A model of `save_model`; every weight must be there and fit."""
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118
        if metadata.get("format") != FORMAT:
            raise ValueError
        about = json.loads(metadata["model"])
        model = SmallModel(Tokenizer(about["vocabulary"], int(about["buckets"])), int(about["dim"]))
    except (OSError, SafetensorError, ValueError, TypeError, KeyError):
        raise InputError(f"{path} is not a medveil-small model of this version; train it again") from None
    if {name for name in model.state_dict() if not name.endswith("num_batches_tracked")} != set(tensors):
        raise InputError(f"{path} does not hold the weights of its model; train it again")
    try:
        model.load_state_dict(tensors, strict=False)
    except RuntimeError:
        raise InputError(f"{path} does not fit the model it names; train it again") from None
    return model.eval().requires_grad_(False)
