"""A model in a local folder, in the layout of any of the hubs: its settings, hash and licence."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from medveil.encoders.published.hub import SMALL, WEIGHTS
from medveil.errors import InputError

_HEAD = re.compile(r"\A---\n(.*?)\n---", re.DOTALL)  # of a model card
_LICENSE = re.compile(r"^license:\s*([\w.+-]+)", re.MULTILINE)


def fingerprint(folder: Path) -> str:
    """One hash over weights, settings and vocabularies: the same wherever the folder lies."""
    digest = hashlib.sha256()
    files = sorted(path for path in folder.iterdir() if path.name.endswith((*SMALL, *WEIGHTS)))
    for path in files:
        with path.open("rb") as file:
            digest.update(path.name.encode() + hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def read_settings(path: Path) -> dict[str, Any]:
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputError(f"{path} is missing or is not readable JSON; fetch the model again") from None
    if not isinstance(settings, dict):
        raise InputError(f"{path} is not a list of settings; fetch the model again")
    return settings


def license_of(folder: Path) -> str:
    """What the model's card says of its licence."""
    try:
        card = (folder / "README.md").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "not stated"
    head = _HEAD.match(card)
    found = _LICENSE.search(head[1]) if head else None
    return found[1] if found else "not stated"
