"""What is known of a generator without running it: its file's format, and the sizes of images it takes."""

from __future__ import annotations

from pathlib import Path

from safetensors import SafetensorError, safe_open

from medveil.errors import InputError

FORMAT = "medveil.inpainting/1"
STEP = 8  # pixels; the network halves three times, so sides are multiples of this


def check_generator(path: Path) -> None:
    """By the file's header alone, without what it takes to run it."""
    try:
        with safe_open(path, "np") as file:
            form = (file.metadata() or {}).get("format")
    except (OSError, SafetensorError):
        form = None
    if form != FORMAT:
        raise InputError(f"{path} is not a generator of this version; train one with `medveil train inpainting`")
