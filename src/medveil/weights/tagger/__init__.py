"""The bundled tagger of identifiers in reports: where its weights lie."""

from __future__ import annotations

from pathlib import Path

FILE = "tagger.safetensors"


def weights() -> Path:
    """The weights; the card lies beside them as .json and .md."""
    return Path(__file__).parent / FILE
