"""A chat model of text alone in a local folder, as a judge: greedy, and nothing of its own code is run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError

from medveil.encoders.published.libraries import library
from medveil.encoders.published.model_folder import fingerprint
from medveil.errors import InputError
from medveil.runtime.quiet import quiet
from medveil.utility.vqa.judge.prompts import TOKENS


class TextModel:
    """Weights are read from safetensors alone, and nothing is looked for outside the folder."""

    def __init__(self, folder: Path, *, device: str = "cpu") -> None:
        if not any(folder.glob("*.safetensors")):
            raise InputError(f"{folder} has no weights as safetensors, and pickled ones are not read; save it again")
        self._device = device
        transformers = library("transformers")
        try:
            with quiet():
                self._words = transformers.AutoTokenizer.from_pretrained(
                    folder, local_files_only=True, trust_remote_code=False
                )
                self._model, told = transformers.AutoModelForCausalLM.from_pretrained(
                    folder,
                    local_files_only=True,
                    trust_remote_code=False,
                    use_safetensors=True,
                    dtype=torch.float32 if device == "cpu" else "auto",
                    output_loading_info=True,
                )
        except (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError, SafetensorError):
            raise InputError(f"{folder} does not hold a whole model that writes text; fetch it again") from None
        if told["missing_keys"] or told["mismatched_keys"]:  # they would be drawn at random
            raise InputError(f"the weights in {folder} are not those of the model in its config.json; fetch it again")
        if not self._words.chat_template:
            raise InputError(f"{folder} does not say how its model is spoken to (no chat template); fetch it again")
        self._model.eval().requires_grad_(False).to(device)
        self.fingerprint = f"{fingerprint(folder)} {self._model.dtype}"  # half precision may judge otherwise

    def __call__(self, system: str, user: str) -> str:
        """The reply, greedy; a template without a place for the system's message gets it before the user's."""
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        try:
            inputs = self._inputs(messages)
        except library("jinja2").TemplateError:
            inputs = self._inputs([{"role": "user", "content": f"{system}\n\n{user}"}])
        inputs = inputs.to(self._device)
        with torch.inference_mode(), quiet():
            made = self._model.generate(**inputs, generation_config=self._greedy())[0]
        return str(self._words.decode(made[inputs["input_ids"].shape[1] :], skip_special_tokens=True)).strip()

    def _inputs(self, messages: list[dict[str, str]]) -> Any:
        return self._words.apply_chat_template(
            messages, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
        )

    def _greedy(self) -> Any:
        own = self._model.generation_config
        end = own.eos_token_id if own.eos_token_id is not None else self._words.eos_token_id
        padding = own.pad_token_id if own.pad_token_id is not None else self._words.pad_token_id
        if padding is None:
            padding = end[0] if isinstance(end, list) else end
        return library("transformers").GenerationConfig(
            do_sample=False,
            num_beams=1,
            max_new_tokens=TOKENS,
            bos_token_id=own.bos_token_id,
            eos_token_id=end,
            pad_token_id=padding,
        )
