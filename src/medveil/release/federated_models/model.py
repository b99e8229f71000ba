"""A released federated model: its network, the recipe in its header, and how many rounds it was trained for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from safetensors import SafetensorError, safe_open

from medveil.errors import InputError, SettingsError
from medveil.federated.recipe import Recipe
from medveil.federated.record import FILE as RECORD
from medveil.federated.record import MODEL, read_record
from medveil.federated.vision_language.building import build
from medveil.federated.vision_language.model_file import FORMAT, recipe_of
from medveil.federated.vision_language.network import VisionLanguageNetwork
from medveil.runtime.storage import sha256_of


@dataclass(frozen=True)
class FederatedModel:
    recipe: Recipe
    network: VisionLanguageNetwork
    rounds: int


def federated_file(model: str) -> Path | None:
    """The file of a federated model, if that is what is named: the file itself, or the folder of a run or a site."""
    path = Path(model) / MODEL if Path(model).is_dir() else Path(model)
    try:
        with safe_open(path, "pt") as file:
            return path if (file.metadata() or {}).get("format") == FORMAT else None
    except (OSError, SafetensorError):
        return None


def read_model(path: Path, *, rounds: int | None = None, start: Path | None = None) -> FederatedModel:
    """`rounds` is asked for where the file does not lie beside the record of its run, and `start`, the weights that
    training began with, where the recipe names some."""
    told = recipe_of(path)
    begun = told.pop("start", None)
    if begun is not None and (start is None or f"sha256:{sha256_of(start)}" != begun):
        raise SettingsError("training began with other weights; give the file that the recipe names as --start")
    if rounds is None:
        if not (path.parent / RECORD).exists():
            raise SettingsError("the model's folder does not tell for how many rounds it was trained; give --rounds")
        rounds = sum(one.counted for one in read_record(path.parent).history)
    recipe = Recipe.of(told if begun is None else {**told, "start": str(start)})
    network = build(recipe)
    try:
        with safe_open(path, "pt") as file:
            network.load_state_dict({name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118
    except (RuntimeError, SafetensorError):
        raise InputError(f"the weights in {path} do not fit the recipe in its header; was the file changed?") from None
    return FederatedModel(recipe, network.eval(), rounds)
