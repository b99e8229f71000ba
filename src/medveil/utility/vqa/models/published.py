"""`PublishedModel`: any image-text-to-text model in the layout in which transformers saves it.

LLaVA and LLaVA-Med, Qwen-VL, Gemma 3 and MedGemma, PaliGemma, SmolVLM, BLIP and BLIP-2 among them. Nothing of a
model's own code is run, its weights are read from safetensors alone, and nothing is looked for outside its folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image as Pictures
from safetensors import SafetensorError

from medveil.encoders.published.libraries import library
from medveil.encoders.published.model_folder import fingerprint, license_of, read_settings
from medveil.errors import InputError, SettingsError
from medveil.runtime.quiet import quiet
from medveil.utility.vqa.model import Query, one_by_one, prompt
from medveil.utility.vqa.question import Image

TOKENS = 64
SHORT = "Answer with yes or no where that answers the question, else in as few words as possible."
_BLANK = (224, 224)  # the picture of a question alone, for a model that cannot do without
# how families are asked that have no chat of their own; what comes first is where their processor puts the picture
_PROMPTS = {
    "llava": "USER: <image>\n{} ASSISTANT:",
    "blip": "{}",
    "blip-2": "Question: {} Answer:",
    "instructblip": "{}",
    "paligemma": "<image>answer en {}",
}
_PICTURE_NEEDED = ("blip", "blip-2", "instructblip", "paligemma")


class PublishedModel:
    """Greedy. Queries are answered one by one, for a neighbour in a batch could change the last digit and a word."""

    def __init__(self, folder: Path, *, name: str, device: str = "cpu") -> None:
        self.name = name
        self.license = license_of(folder)
        self._device = device
        self._kind = str(read_settings(folder / "config.json").get("model_type"))
        self._model, self._processor = _read(folder, self._kind, device)
        self._settings = _greedy(self._model)
        self.fingerprint = f"{fingerprint(folder)} {SHORT} {self._model.dtype}"  # half precision may answer otherwise

    def answer(self, image: Image | None, question: str, note: str | None = None) -> str:
        inputs = self._inputs(image, prompt(question, note)).to(self._device)
        if self._model.dtype != torch.float32:
            inputs = inputs.to(self._model.dtype)
        with torch.inference_mode(), quiet():
            made = self._model.generate(**inputs, generation_config=self._settings)[0]
        asked = inputs["input_ids"].shape[1]
        # those that read with one network and write with another do not repeat what was asked
        written = made if self._model.config.is_encoder_decoder or self._kind == "blip" else made[asked:]
        return str(self._processor.decode(written, skip_special_tokens=True)).strip()

    def answer_many(self, queries: Sequence[Query]) -> list[str]:
        return one_by_one(self, queries)

    def _inputs(self, image: Image | None, text: str) -> Any:
        if image is None and self._kind in _PICTURE_NEEDED:
            image = np.zeros(_BLANK, np.uint8)
        picture = None if image is None else Pictures.fromarray(image).convert("RGB")
        if getattr(self._processor, "chat_template", None):
            content: list[dict[str, Any]] = [{"type": "text", "text": f"{text}\n{SHORT}"}]
            if picture is not None:
                content.insert(0, {"type": "image", "image": picture})
            return self._processor.apply_chat_template(
                [{"role": "user", "content": content}],
                add_generation_prompt=True,
                tokenize=True,
                return_dict=True,
                return_tensors="pt",
            )
        asked = _PROMPTS[self._kind].format(text)
        if picture is None:
            return self._processor(text=asked.replace("<image>", "").strip(), return_tensors="pt")
        return self._processor(images=picture, text=asked, return_tensors="pt")


def _read(folder: Path, kind: str, device: str) -> tuple[Any, Any]:
    transformers = library("transformers")
    if not any(folder.glob("*.safetensors")):
        raise InputError(
            f"{folder} has no weights as safetensors, and pickled ones are not read; save the model again with "
            "transformers"
        )
    if kind not in transformers.CONFIG_MAPPING:
        raise InputError(
            f"{folder} is in a layout that transformers does not know ({kind!r}), for its own code would be needed; "
            "fetch the model again as it was converted for transformers, often under a name that ends in -hf"
        )
    reader = transformers.BlipForQuestionAnswering if kind == "blip" else transformers.AutoModelForImageTextToText
    try:
        with quiet():
            model, told = reader.from_pretrained(
                folder,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                dtype=torch.float32 if device == "cpu" else "auto",
                output_loading_info=True,
            )
            processor = transformers.AutoProcessor.from_pretrained(
                folder, local_files_only=True, trust_remote_code=False
            )
    except ImportError:
        raise SettingsError(f'{folder} needs more libraries; run `pip install "medveil[vlm]"`') from None
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError, SafetensorError):
        raise InputError(
            f"{folder} does not hold a whole model that takes an image and a text and writes a text; fetch it again"
        ) from None
    # without this, tensors that are not in the file would be drawn at random, and so would the answers
    if told["missing_keys"] or told["mismatched_keys"]:
        raise InputError(f"the weights in {folder} are not those of the model in its config.json; fetch it again")
    if not getattr(processor, "chat_template", None) and kind not in _PROMPTS:
        raise InputError(f"{folder} does not say how its model is asked (no chat template); fetch it again")
    if kind == "llava" and processor.patch_size is None:
        _count_patches(processor, model.config)
    return model.eval().requires_grad_(False).to(device), processor


def _count_patches(processor: Any, config: Any) -> None:
    """What folders saved by an older transformers leave out: how many marks a picture takes in the text."""
    processor.patch_size = config.vision_config.patch_size
    processor.vision_feature_select_strategy = config.vision_feature_select_strategy
    processor.num_additional_image_tokens = int(config.vision_config.model_type == "clip_vision_model")  # its own


def _greedy(model: Any) -> Any:
    """The model's own marks of begin and end, and nothing drawn by chance."""
    own = model.generation_config
    marks = {name: getattr(own, name) for name in ("bos_token_id", "eos_token_id", "pad_token_id")}
    if marks["pad_token_id"] is None and marks["eos_token_id"] is not None:
        marks["pad_token_id"] = np.atleast_1d(marks["eos_token_id"])[0].item()
    return library("transformers").GenerationConfig(
        do_sample=False, num_beams=1, max_new_tokens=TOKENS, use_cache=True, **marks
    )
