"""Models of each family, as small as one can be, in the layout in which transformers and the hub save them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from medveil.encoders.published.libraries import library

WORDS = ["is", "the", "heart", "large", "yes", "no", "left", "right", "lung", "?", ".", ":", "user", "assistant"]
CHAT = (
    "{% for message in messages %}{{ message['role'] }} : {% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}IMAGE {% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endfor %}"
    "{% if add_generation_prompt %} assistant : {% endif %}"
)
TEXT: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
}
EYES: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "image_size": 28,
    "patch_size": 14,
}


def tokenizer(*marks: str, **named: str) -> Any:
    tokenizers, transformers = library("tokenizers"), library("transformers")
    special = ["<pad>", "<bos>", "<eos>", "<unk>", *marks]
    words = {word: number for number, word in enumerate([*special, *WORDS])}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="<unk>"))
    made.normalizer = tokenizers.normalizers.Lowercase()
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        pad_token="<pad>",
        bos_token="<bos>",
        eos_token="<eos>",
        unk_token="<unk>",
        **({"extra_special_tokens": named} if named else {}),
    )
    fast.add_special_tokens({"additional_special_tokens": list(marks)}) if marks and not named else None
    return fast


def llava(folder: Path) -> None:
    transformers, words = library("transformers"), tokenizer("<image>")
    config = transformers.LlavaConfig(
        text_config={"model_type": "llama", "vocab_size": len(words), **TEXT},
        vision_config={"model_type": "clip_vision_model", "projection_dim": 32, **EYES},
        image_token_index=words.convert_tokens_to_ids("<image>"),
        image_seq_length=4,
    )
    transformers.LlavaForConditionalGeneration(config).save_pretrained(folder)
    processor = transformers.LlavaProcessor(
        image_processor=transformers.CLIPImageProcessorPil(
            size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}
        ),
        tokenizer=words,
        patch_size=14,
        num_additional_image_tokens=1,
        vision_feature_select_strategy="default",
        chat_template=CHAT.replace("IMAGE", "<image>"),
    )
    processor.save_pretrained(folder)


def llava_without_a_chat(folder: Path) -> None:
    llava(folder)
    (folder / "chat_template.jinja").unlink()


def llava_of_an_older_transformers(folder: Path) -> None:
    llava(folder)
    told = json.loads((folder / "processor_config.json").read_text())
    for name in ("patch_size", "vision_feature_select_strategy", "num_additional_image_tokens"):
        told.pop(name)
    (folder / "processor_config.json").write_text(json.dumps(told))


def qwen(folder: Path) -> None:
    transformers = library("transformers")
    marks = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
    words = tokenizer(*marks)
    start, end, image, video = (words.convert_tokens_to_ids(mark) for mark in marks)
    config = transformers.Qwen2_5_VLConfig(
        text_config={
            "vocab_size": len(words),
            "rope_parameters": {"rope_type": "default", "mrope_section": [2, 3, 3], "rope_theta": 10000.0},
            "bos_token_id": 1,
            "eos_token_id": 2,
            "pad_token_id": 0,
            **TEXT,
        },
        vision_config={
            "depth": 2, "hidden_size": 32, "intermediate_size": 32, "num_heads": 2, "out_hidden_size": 32,
            "fullatt_block_indexes": [1],
        },
        vision_start_token_id=start, vision_end_token_id=end, image_token_id=image, video_token_id=video,
    )  # fmt: skip
    transformers.Qwen2_5_VLForConditionalGeneration(config).save_pretrained(folder)
    processor = transformers.Qwen2_5_VLProcessor(
        image_processor=transformers.Qwen2VLImageProcessorPil(min_pixels=56 * 56, max_pixels=56 * 56),
        tokenizer=words,
        video_processor=transformers.Qwen2VLVideoProcessor(),
        chat_template=CHAT.replace("IMAGE", "<|vision_start|><|image_pad|><|vision_end|>"),
    )
    processor.save_pretrained(folder)


def gemma(folder: Path) -> None:
    transformers = library("transformers")
    named = {"boi_token": "<start_of_image>", "eoi_token": "<end_of_image>", "image_token": "<image_soft_token>"}
    words = tokenizer(*named.values(), **named)
    begin, end, image = (words.convert_tokens_to_ids(mark) for mark in named.values())
    config = transformers.Gemma3Config(
        text_config={"vocab_size": len(words), "head_dim": 16, "sliding_window": 64, "bos_token_id": 1,
                     "eos_token_id": 2, "pad_token_id": 0, **TEXT},
        vision_config={"model_type": "siglip_vision_model", **EYES},
        mm_tokens_per_image=4, boi_token_index=begin, eoi_token_index=end, image_token_index=image,
    )  # fmt: skip
    transformers.Gemma3ForConditionalGeneration(config).save_pretrained(folder)
    processor = transformers.Gemma3Processor(
        image_processor=transformers.Gemma3ImageProcessorPil(size={"height": 28, "width": 28}),
        tokenizer=words,
        image_seq_length=4,
        chat_template=CHAT.replace("IMAGE", "<start_of_image>"),
    )
    processor.save_pretrained(folder)


def blip(folder: Path) -> None:
    transformers = library("transformers")
    folder.mkdir()
    letters = [chr(code) for code in range(33, 127)]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[DEC]", "[ENC]", *WORDS, *letters]
    (folder / "vocab.txt").write_text("\n".join(dict.fromkeys(vocabulary)))
    words = transformers.BertTokenizerFast.from_pretrained(folder)
    config = transformers.BlipConfig(
        text_config={**TEXT, "vocab_size": len(words), "encoder_hidden_size": 32, "bos_token_id": 5, "pad_token_id": 0,
                     "eos_token_id": 3, "sep_token_id": 3},
        vision_config=EYES,
        projection_dim=16,
    )  # fmt: skip
    transformers.BlipForQuestionAnswering(config).save_pretrained(folder)
    eyes = transformers.BlipImageProcessorPil(size={"height": 28, "width": 28})
    transformers.BlipProcessor(eyes, words).save_pretrained(folder)


FAMILIES: dict[str, Callable[[Path], None]] = {
    "llava": llava,
    "llava without a chat": llava_without_a_chat,
    "llava of an older transformers": llava_of_an_older_transformers,
    "qwen": qwen,
    "gemma": gemma,
    "blip": blip,
}


@pytest.fixture(scope="session")
def family(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a family's tiny model, made once."""
    made: dict[str, Path] = {}

    def of(name: str) -> Path:
        if name not in made:
            torch.manual_seed(0)
            made[name] = tmp_path_factory.mktemp("models") / name.replace(" ", "-")
            FAMILIES[name](made[name])
        return made[name]

    return of
