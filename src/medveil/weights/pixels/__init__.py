"""The bundled text detector: where its weights lie."""

from __future__ import annotations

from pathlib import Path

FILE = "text-detector.safetensors"


def bundled() -> Path:
    """The weights; the card lies beside them as .json and .md."""
    return Path(__file__).parent / FILE
