"""Any model of CLIP or SigLIP type, as transformers saves it."""

from __future__ import annotations

from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from safetensors import SafetensorError
from torch import Tensor

from medveil.encoders.encoder import Encoder
from medveil.encoders.published.libraries import library
from medveil.encoders.published.model_folder import fingerprint, license_of, read_settings
from medveil.encoders.published.two_towers import Cut, Scaling, TwoTowers, colour
from medveil.errors import InputError, SettingsError

MODELS = {"clip": "CLIPModel", "siglip": "SiglipModel"}  # model_type -> class in transformers
CLIP_MEAN = (0.48145466, 0.4578275, 0.40821073)
CLIP_SPREAD = (0.26862954, 0.26130258, 0.27577711)
SCALES = {"clip": (CLIP_MEAN, CLIP_SPREAD), "siglip": ((0.5,) * 3, (0.5,) * 3)}  # where the folder does not say


def recognises(folder: Path) -> bool:
    path = folder / "config.json"
    return path.is_file() and read_settings(path).get("model_type") in MODELS


def open_model(folder: Path, *, name: str, device: str, terms: str | None = None) -> Encoder:
    """Weights, tokenizer and scaling as transformers saves them; nothing else is looked for, here or elsewhere."""
    kind = read_settings(folder / "config.json")["model_type"]
    model, tokenizer = _read(folder, kind)
    model = model.eval().requires_grad_(False).to(device)
    limit = model.config.text_config.max_position_embeddings
    # SigLIP has learned from texts padded to the full length, and takes no mask
    padding, inputs = {"clip": (True, ("input_ids", "attention_mask")), "siglip": ("max_length", ("input_ids",))}[kind]

    def image(pixels: Tensor) -> Tensor:
        projected: Tensor = model.get_image_features(pixel_values=pixels).pooler_output
        return projected

    def tokens(texts: list[str]) -> Any:
        return tokenizer(texts, truncation=True, max_length=limit)["input_ids"]

    def read(texts: list[str]) -> dict[str, Tensor]:
        found = tokenizer(texts, truncation=True, max_length=limit, padding=padding, return_tensors="pt").to(device)
        return {key: found[key] for key in inputs}

    def text(texts: list[str]) -> Tensor:
        projected: Tensor = model.get_text_features(**read(texts)).pooler_output
        return projected

    text_config = model.config.text_config
    # SigLIP projects nothing: its networks end in the joint space
    cut = (
        Cut(
            image=lambda pixels: model.vision_model(pixel_values=pixels).pooler_output,
            image_dim=model.config.vision_config.hidden_size,
            image_head=model.visual_projection,
            text=lambda texts: model.text_model(**read(texts)).pooler_output,
            text_dim=text_config.hidden_size,
            text_head=model.text_projection,
        )
        if kind == "clip"
        else None
    )
    return TwoTowers(
        name=name,
        dim=text_config.projection_size if kind == "siglip" else model.config.projection_dim,
        license=terms or license_of(folder),
        fingerprint=fingerprint(folder),
        device=device,
        scaling=_scaling(folder, kind, model.config.vision_config.image_size),
        image=image,
        tokens=tokens,
        text=text,
        cut=cut,
    )


def _read(folder: Path, kind: str) -> tuple[Any, Any]:
    transformers = library("transformers")
    try:
        model, told = getattr(transformers, MODELS[kind]).from_pretrained(
            folder, local_files_only=True, trust_remote_code=False, dtype=torch.float32, output_loading_info=True
        )
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except ImportError:  # vocabularies of sentencepiece
        raise SettingsError(f'{folder} needs more libraries; run `pip install "medveil[vlm]"`') from None
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, UnpicklingError, SafetensorError):
        raise InputError(f"{folder} does not hold a whole {kind} model with its tokenizer; fetch it again") from None
    # without this, tensors that are not in the file would be drawn at random, and the audit would call that safe
    strange = [key for key in told["unexpected_keys"] if not key.endswith("position_ids")]
    if told["missing_keys"] or strange:
        raise InputError(f"the weights in {folder} are not those of the model in its config.json; fetch it again")
    return model, tokenizer


def _scaling(folder: Path, kind: str, side: int) -> Scaling:
    path = folder / "preprocessor_config.json"
    told = read_settings(path) if path.is_file() else {}
    mean, spread = SCALES[kind]
    try:
        return Scaling(side, colour(told.get("image_mean", mean)), colour(told.get("image_std", spread)))
    except (TypeError, ValueError):
        raise InputError(f"{path} does not name a mean and a spread for three colours; fetch the model again") from None
