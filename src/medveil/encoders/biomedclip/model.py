"""Any model saved in the layout of open_clip."""

from __future__ import annotations

import json
import tempfile
from copy import deepcopy
from pathlib import Path
from typing import Any

from torch import Tensor

from medveil.encoders.encoder import Encoder
from medveil.encoders.published.libraries import library
from medveil.encoders.published.model_folder import fingerprint, license_of, read_settings
from medveil.encoders.published.two_towers import Scaling, TwoTowers, colour
from medveil.errors import InputError
from medveil.training.checkpoint import read_tensors

CONFIG = "open_clip_config.json"
WEIGHTS = ("open_clip_model.safetensors", "open_clip_pytorch_model.safetensors", "open_clip_pytorch_model.bin")
BERT = "text.transformer."  # where the weights hold a BERT
HEAD = 64  # the width of an attention head in every published BERT


def recognises(folder: Path) -> bool:
    return (folder / CONFIG).is_file()


def open_model(folder: Path, *, name: str, device: str, terms: str | None = None) -> Encoder:
    """The model of an open_clip folder, read strictly; its tokenizer is the one beside it."""
    open_clip = library("open_clip")
    settings = read_settings(folder / CONFIG)
    tensors = _weights(folder)
    try:
        model = _build(open_clip, settings["model_cfg"], tensors)
        model.load_state_dict(tensors, strict=True)
        tokenizer = _tokenizer(open_clip, folder, settings["model_cfg"]["text_cfg"])
        scaling = _scaling(open_clip, settings)
    except (OSError, ValueError, RuntimeError, KeyError, TypeError):
        raise InputError(f"{folder} does not hold a whole open_clip model with its tokenizer; fetch it again") from None
    model = model.eval().requires_grad_(False).to(device)
    pad = model.text.config.pad_token_id if _has_bert(settings["model_cfg"]) else None

    def image(pixels: Tensor) -> Tensor:
        features: Tensor = model.encode_image(pixels)
        return features

    def text(texts: list[str]) -> Tensor:
        tokens = tokenizer(texts)  # cut or filled to the length the model has learned
        if pad is not None:  # a BERT is told what is filling: columns of nothing else only cost time
            tokens = tokens[:, : int((tokens != pad).any(0).sum())]
        features: Tensor = model.encode_text(tokens.to(device))
        return features

    return TwoTowers(
        name=name,
        dim=int(settings["model_cfg"]["embed_dim"]),
        license=terms or license_of(folder),
        fingerprint=fingerprint(folder),
        device=device,
        scaling=scaling,
        image=image,
        tokens=tokenizer,
        text=text,
    )


def _weights(folder: Path) -> dict[str, Tensor]:
    path = next((folder / file for file in WEIGHTS if (folder / file).is_file()), None)
    if path is None:
        raise InputError(f"{folder} holds no weights of open_clip ({' or '.join(WEIGHTS)}); fetch the model again")
    tensors = read_tensors(path)
    tensors.pop(f"{BERT}embeddings.position_ids", None)  # older files count the positions in a tensor
    return tensors


def _has_bert(architecture: dict[str, Any]) -> bool:
    return "hf_model_name" in architecture["text_cfg"]


def _build(open_clip: Any, architecture: dict[str, Any], tensors: dict[str, Tensor]) -> Any:
    """The networks, empty. open_clip would look up the settings of the BERT by name on the hub; here they are read
    off its weights."""
    architecture = deepcopy(architecture)
    if ":" in architecture["vision_cfg"].get("timm_model_name", ""):
        raise ValueError("the name of an image network leads to the hub")
    architecture["vision_cfg"]["timm_model_pretrained"] = False
    custom = architecture.pop("custom_text", False) or _has_bert(architecture)
    network = open_clip.CustomTextCLIP if custom else open_clip.CLIP
    if not _has_bert(architecture):
        return network(**architecture)
    with tempfile.TemporaryDirectory() as settings:
        Path(settings, "config.json").write_text(json.dumps(_bert_settings(tensors)), encoding="utf-8")
        architecture["text_cfg"] |= {"hf_model_name": settings, "hf_model_pretrained": False}
        return network(**architecture)


def _bert_settings(tensors: dict[str, Tensor]) -> dict[str, Any]:
    embeddings = f"{BERT}embeddings."
    words, width = tensors[f"{embeddings}word_embeddings.weight"].shape
    layers = {name.split(".")[4] for name in tensors if name.startswith(f"{BERT}encoder.layer.")}
    return {
        "model_type": "bert",
        "vocab_size": words,
        "hidden_size": width,
        "num_hidden_layers": len(layers),
        "num_attention_heads": max(1, width // HEAD),
        "intermediate_size": tensors[f"{BERT}encoder.layer.0.intermediate.dense.weight"].shape[0],
        "max_position_embeddings": tensors[f"{embeddings}position_embeddings.weight"].shape[0],
        "type_vocab_size": tensors[f"{embeddings}token_type_embeddings.weight"].shape[0],
        "pad_token_id": 0,
    }


def _tokenizer(open_clip: Any, folder: Path, settings: dict[str, Any]) -> Any:
    """The one beside the weights. Its settings may ask to run code that came with it, and that is overruled."""
    options = {"trust_remote_code": False, "local_files_only": True} if settings.get("hf_tokenizer_name") else {}
    return open_clip.get_tokenizer(f"local-dir:{folder}", **options)


def _scaling(open_clip: Any, settings: dict[str, Any]) -> Scaling:
    told = settings.get("preprocess_cfg", {})
    mean = told.get("mean", open_clip.OPENAI_DATASET_MEAN)
    spread = told.get("std", open_clip.OPENAI_DATASET_STD)
    return Scaling(int(settings["model_cfg"]["vision_cfg"].get("image_size", 224)), colour(mean), colour(spread))
