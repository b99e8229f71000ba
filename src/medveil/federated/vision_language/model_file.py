"""A network's weights as a file: safetensors, by name, with the recipe they were made by in its header."""

from __future__ import annotations

import json
from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import nn

from medveil.errors import InputError
from medveil.federated.recipe import Recipe
from medveil.federated.vision_language.network import VisionLanguageNetwork
from medveil.runtime.storage import write_bytes

FORMAT = "medveil.federated-model/2"
FINDING_HEADS = ("image_head", "text_head")


def save_weights(path: Path, network: nn.Module, recipe: Recipe) -> None:
    """All weights, those that were not trained too, in full precision."""
    tensors = {name: value.detach().cpu().contiguous() for name, value in network.state_dict().items()}
    write_bytes(path, save(tensors, {"format": FORMAT, "recipe": recipe.canonical()}))


def load_weights(network: VisionLanguageNetwork, path: Path) -> None:
    """The weights of `save_weights`. A head of other findings begins anew; encoders must fit."""
    made_by = recipe_of(path)
    with safe_open(path, "pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    own = network.state_dict()
    if made_by.get("findings") != list(network.findings):
        tensors = {name: value for name, value in tensors.items() if name.split(".")[0] not in FINDING_HEADS}
    fitting = {name: value for name, value in tensors.items() if name in own and own[name].shape == value.shape}
    lacking = [name for name in own if name not in fitting and name.split(".")[0] in ("image", "text")]
    if lacking:
        raise InputError(f"the encoders in {path} are of another make than the recipe's; name another file")
    network.load_state_dict(fitting, strict=False)


def recipe_of(path: Path) -> dict[str, object]:
    """What the weights were made by, as the file tells it."""
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
        if metadata.get("format") != FORMAT:
            raise ValueError
        return dict(json.loads(metadata["recipe"]))
    except (OSError, SafetensorError, ValueError, KeyError):
        raise InputError(f"{path} is not a model that medveil federated wrote; name another file") from None
