"""What a generator's file is known by, for those who do not run it."""

from __future__ import annotations

from pathlib import Path

from safetensors import SafetensorError, safe_open

from medveil.errors import InputError

FORMAT = "medveil.inpainting/1"


def check_generator(path: Path) -> None:
    """By the file's header alone, without what it takes to run it."""
    try:
        with safe_open(path, "np") as file:
            form = (file.metadata() or {}).get("format")
    except (OSError, SafetensorError):
        form = None
    if form != FORMAT:
        raise InputError(f"{path} is not a generator of this version; train one with `medveil train inpainting`")
