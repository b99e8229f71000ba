"""BioViL-T as an encoder: the published files, read strictly, and nothing of their code.

Without its heads, the report side is exactly what the head sees. The image side is not: the published vector is the
mean of the patches after each went through the head, while a head that is trained sees one vector an image, the mean
of the patches before it (512 numbers), as in the linkage paper. The head bends, so the two differ; and its batch norm,
which would mix the images of a batch, becomes group norm when it is taken over for training (197,504 parameters both
heads together). So a protected model is compared with the released vectors, and with the heads as training starts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from medveil.encoders.biovil_t.image_network import DIM, WIDTH, ImageNetwork
from medveil.encoders.biovil_t.text_network import TextNetwork
from medveil.encoders.encoder import Encoder
from medveil.encoders.published.libraries import library
from medveil.encoders.published.model_folder import fingerprint, read_settings
from medveil.encoders.published.two_towers import Cut, Scaling, TwoTowers
from medveil.errors import InputError
from medveil.training.checkpoint import read_tensors

IMAGE_WEIGHTS = "biovil_t_image_model_proj_size_128.pt"
TEXT_WEIGHTS = ("model.safetensors", "pytorch_model.bin")
TIED = (  # the same tensor under two names, of which a file may hold one
    ("bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight"),
    ("cls.predictions.bias", "cls.predictions.decoder.bias"),
)
Network = TypeVar("Network", bound=nn.Module)
LICENSE = "MIT"
SIDE = 224  # the linkage paper's; the network takes any side


def recognises(folder: Path) -> bool:
    return (folder / IMAGE_WEIGHTS).is_file()


def open_model(folder: Path, *, name: str, device: str) -> Encoder:
    """The two networks and the tokenizer of a folder in the layout of the hub."""
    settings = read_settings(folder / "config.json")
    with torch.device("meta"):  # its parameters come from the file, none are drawn
        empty = ImageNetwork()
    network = _strictly(empty, read_tensors(folder / IMAGE_WEIGHTS), folder).to(device)
    reader = _strictly(_text_network(settings, folder), _text_tensors(folder), folder).to(device)
    limit = int(settings.get("max_position_embeddings", 512))
    tokenizer = _tokenizer(folder)

    def tokens(texts: list[str]) -> Any:
        return tokenizer(texts, truncation=True, max_length=limit)["input_ids"]

    def read(texts: list[str]) -> tuple[Tensor, Tensor]:
        found = tokenizer(texts, truncation=True, max_length=limit, padding=True, return_tensors="pt").to(device)
        return found["input_ids"], found["attention_mask"]

    def text(texts: list[str]) -> Tensor:
        projected: Tensor = reader(*read(texts))
        return projected

    return TwoTowers(
        name=name,
        dim=DIM,
        license=LICENSE,
        fingerprint=fingerprint(folder),
        device=device,
        scaling=Scaling(SIDE),
        image=network,
        tokens=tokens,
        text=text,
        cut=Cut(
            image=network.features,
            image_dim=2 * WIDTH,
            image_head=network.projector.model,
            text=lambda texts: reader.features(*read(texts)),
            text_dim=reader.bert.config.hidden_size,
            text_head=reader.cls_projection_head.layers,
            exact=False,
        ),
    )


def _text_network(settings: dict[str, Any], folder: Path) -> TextNetwork:
    try:
        return TextNetwork(settings)
    except (TypeError, ValueError, KeyError):
        raise InputError(f"the config.json in {folder} does not describe CXR-BERT; fetch the model again") from None


def _text_tensors(folder: Path) -> dict[str, Tensor]:
    path = next((folder / file for file in TEXT_WEIGHTS if (folder / file).is_file()), None)
    if path is None:
        raise InputError(f"{folder} holds no weights of the text network ({' or '.join(TEXT_WEIGHTS)}); fetch it again")
    tensors = read_tensors(path)
    tensors.pop("bert.embeddings.position_ids", None)  # older files count the positions in a tensor
    for one, other in TIED:
        known = tensors.get(one, tensors.get(other))
        if known is not None:
            tensors[one] = tensors[other] = known
    return tensors


def _strictly(network: Network, tensors: dict[str, Tensor], folder: Path) -> Network:
    try:
        network.load_state_dict(tensors, strict=True, assign=True)
    except RuntimeError:
        raise InputError(f"the weights in {folder} are not those of BioViL-T; fetch the model again") from None
    return network.eval().requires_grad_(False)


def _tokenizer(folder: Path) -> Any:
    transformers = library("transformers")
    try:
        return transformers.BertTokenizerFast.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, TypeError):
        raise InputError(f"{folder} holds no vocabulary (vocab.txt); fetch the model again") from None
