"""The bundled reader of burned-in text: where its weights lie."""

from __future__ import annotations

from pathlib import Path

FILE = "reader.safetensors"


def bundled() -> Path:
    """The weights; the card lies beside them as .json and .md."""
    return Path(__file__).parent / FILE
