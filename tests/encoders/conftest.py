from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from medveil.encoders.encoder import unit_length
from medveil.encoders.published.libraries import library

WORDS = ["lungs", "clear", "no", "effusion", "heart", "size", "normal", "opacity", "right", "left", "base", "."]


class StandIn:
    """Vectors that depend on every pixel and letter, and a count of what was asked."""

    name = "stand-in"
    dim = 6
    license = "none"
    fingerprint = "stand-in 1"

    def __init__(self) -> None:
        self.images = 0
        self.reports = 0

    def encode_images(self, images: Iterable[Any]) -> Any:
        images = list(images)
        self.images += len(images)
        return self._vectors([np.resize(image.astype(np.float64).ravel(), 4096) for image in images])

    def encode_reports(self, texts: Iterable[str]) -> Any:
        texts = list(texts)
        self.reports += len(texts)
        return self._vectors([np.resize(np.frombuffer(text.encode(), np.uint8), 4096) for text in texts])

    def _vectors(self, rows: list[Any]) -> Any:
        mixing = np.random.default_rng(1).normal(size=(4096, self.dim))
        return unit_length(np.stack(rows) @ mixing) if rows else np.zeros((0, self.dim), np.float32)


@pytest.fixture
def stand_in() -> StandIn:
    return StandIn()


@pytest.fixture(scope="session")
def clip_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CLIP as small as one can be, as transformers and the hub save it."""
    transformers = library("transformers")
    folder = tmp_path_factory.mktemp("models") / "tiny-clip"
    letters = [chr(code) for code in range(33, 127)]
    vocabulary = ["<|startoftext|>", *letters, *(f"{letter}</w>" for letter in letters), "<|endoftext|>"]
    torch.manual_seed(0)
    config = transformers.CLIPConfig(
        text_config={
            "vocab_size": len(vocabulary),
            "hidden_size": 16,
            "intermediate_size": 24,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "max_position_embeddings": 77,
            "bos_token_id": 0,
            "eos_token_id": len(vocabulary) - 1,
        },
        vision_config={
            "hidden_size": 16,
            "intermediate_size": 24,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "image_size": 224,
            "patch_size": 32,
        },
        projection_dim=12,
    )
    transformers.CLIPModel(config).save_pretrained(folder)
    (folder / "vocab.json").write_text(json.dumps({word: number for number, word in enumerate(vocabulary)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "CLIPTokenizer"}))
    (folder / "README.md").write_text("---\nlanguage: en\nlicense: apache-2.0\ntags:\n- vision\n---\n# A model\n")
    return folder


@pytest.fixture(scope="session")
def siglip_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    transformers, tokenizers = library("transformers"), library("tokenizers")
    folder = tmp_path_factory.mktemp("models") / "tiny-siglip"
    torch.manual_seed(1)
    config = transformers.SiglipConfig(
        text_config={
            "vocab_size": 32,
            "hidden_size": 16,
            "intermediate_size": 24,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "max_position_embeddings": 10,
            "projection_size": 16,
        },
        vision_config={
            "hidden_size": 16,
            "intermediate_size": 24,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "image_size": 64,
            "patch_size": 16,
        },
    )
    transformers.SiglipModel(config).save_pretrained(folder)
    vocabulary = {word: number for number, word in enumerate(["<pad>", "<unk>", "</s>", *WORDS])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "<pad>", "unk_token": "<unk>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    (folder / "preprocessor_config.json").write_text(json.dumps({"image_mean": [0.4] * 3, "image_std": [0.2] * 3}))
    return folder


@pytest.fixture(scope="session")
def biomedclip_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The layout of BiomedCLIP: open_clip's settings and weights, and a BERT vocabulary beside them."""
    transformers, open_clip = library("transformers"), library("open_clip")
    folder = tmp_path_factory.mktemp("models") / "tiny-biomedclip"
    folder.mkdir()
    words = write_bert_vocabulary(folder)
    bert = {
        "vocab_size": words,
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 1,
        "intermediate_size": 48,
        "max_position_embeddings": 256,
    }
    text = {
        "hf_model_name": "an-owner/a-bert-on-the-hub",
        "hf_tokenizer_name": "an-owner/a-bert-on-the-hub",
        "hf_proj_type": "mlp",
        "hf_pooler_type": "cls_last_hidden_state_pooler",
        "context_length": 256,
    }
    vision = {"timm_model_name": "test_vit", "timm_pool": "", "timm_proj": "linear", "image_size": 160}
    scaling = {"mean": [0.48145466, 0.4578275, 0.40821073], "std": [0.26862954, 0.26130258, 0.27577711]}
    settings = {"model_cfg": {"embed_dim": 20, "vision_cfg": vision, "text_cfg": text}, "preprocess_cfg": scaling}
    (folder / "open_clip_config.json").write_text(json.dumps(settings))
    local = folder / "bert"
    local.mkdir()
    transformers.BertConfig(**bert).save_pretrained(local)
    torch.manual_seed(2)
    model = open_clip.CustomTextCLIP(
        embed_dim=20,
        vision_cfg=vision | {"timm_model_pretrained": False},
        text_cfg=text | {"hf_model_name": str(local), "hf_model_pretrained": False},
    )
    state = model.state_dict() | {"text.transformer.embeddings.position_ids": torch.arange(256)[None]}
    torch.save(state, folder / "open_clip_pytorch_model.bin")
    return folder


@pytest.fixture(scope="session")
def bert_vocabulary() -> Callable[..., int]:
    return write_bert_vocabulary


def write_bert_vocabulary(folder: Path, size: int | None = None) -> int:
    """vocab.txt and its settings; returns the number of words."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    words += [f"[unused{number}]" for number in range((size or len(words)) - len(words))]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "BertTokenizer", "do_lower_case": True})
    )
    return len(words)
