"""An encoder by its name, from a folder or from the hub. Model files' readers are loaded only when needed."""

from __future__ import annotations

import re
from pathlib import Path

from medveil.encoders.encoder import Encoder
from medveil.errors import InputError, SettingsError
from medveil.parts import registered
from medveil.training.device import check_device

HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")


def load_encoder(name: str, *, device: str = "cpu") -> Encoder:
    """A registered encoder, a model in a local folder, or one of the hub by "owner/model"; the hub only if asked so."""
    known = registered("encoders")
    check_device(device)
    if name in known:
        encoder: Encoder = known[name].load(device)
        return encoder
    if Path(name).is_dir():
        return open_folder(Path(name), name=Path(name).resolve().name, device=device)
    if HUB_NAME.fullmatch(name):
        from medveil.encoders.published.hub import fetch

        return open_folder(fetch(name), name=name, device=device)
    raise SettingsError(
        f"there is no encoder called {name}; choose one of {', '.join(known)}, a folder that holds a model, "
        "or the owner/model name of one on the hub"
    )


def open_folder(folder: Path, *, name: str, device: str) -> Encoder:
    """The encoder that can read this layout."""
    from medveil.encoders.biomedclip import model as biomedclip
    from medveil.encoders.biovil_t import model as biovil_t
    from medveil.encoders.clip import model as clip
    from medveil.encoders.medveil_small.small_encoder import MedveilSmall
    from medveil.weights.bundled import SMALL

    if (folder / SMALL).is_file():
        small = MedveilSmall.open(folder, device=device)
        small.name = name
        return small
    for reader in (biovil_t, clip, biomedclip):
        if reader.recognises(folder):
            return reader.open_model(folder, name=name, device=device)
    raise InputError(
        f"{folder} holds no model medveil can read; expected one of CLIP or SigLIP type as transformers saves it, "
        "one with open_clip_config.json, the files of BioViL-T, or a model of medveil's own"
    )
