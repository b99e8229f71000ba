"""A judge by the name of its model: behind an endpoint, in a local folder, or of the hub."""

from __future__ import annotations

import os
from pathlib import Path

from medveil.encoders.loading import HUB_NAME
from medveil.errors import SettingsError
from medveil.utility.vqa.judge.judge import Judge
from medveil.utility.vqa.judge.prompts import PROMPTS, SCHEMA, TOKENS, Wording
from medveil.utility.vqa.models.endpoint import Endpoint

KEY = "MEDVEIL_JUDGE_KEY"  # of the environment: on a command line other users of the machine would see it


def load_judge(
    model: str,
    *,
    endpoint: str | None = None,
    consent: str | None = None,
    wording: Wording = "ours",
    device: str = "cpu",
) -> Judge:
    if wording not in PROMPTS:
        raise SettingsError(f"the judge's prompt is one of {', '.join(PROMPTS)}")
    if endpoint is not None:
        return _behind(Endpoint(endpoint, model, consent=consent, key=os.environ.get(KEY)), wording)
    from medveil.utility.vqa.judge.text_model import TextModel

    if Path(model).is_dir():
        folder = Path(model)
    elif HUB_NAME.fullmatch(model):
        from medveil.encoders.published.hub import fetch

        folder = fetch(model)
    else:
        raise SettingsError(
            f"there is no judge called {model}; give a folder that holds a chat model, the owner/model name of one on "
            "the hub, or the name that an endpoint calls it by, with --judge-endpoint"
        )
    chat = TextModel(folder, device=device)
    name = model if HUB_NAME.fullmatch(model) else folder.resolve().name
    return Judge(name, chat.fingerprint, chat, wording)


def _behind(endpoint: Endpoint, wording: Wording) -> Judge:
    def chat(system: str, user: str) -> str:
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        return endpoint.chat(messages, tokens=TOKENS, schema=SCHEMA)

    name = f"{endpoint.model} at {endpoint.place}"
    return Judge(name, name, chat, wording, lasting=False)
