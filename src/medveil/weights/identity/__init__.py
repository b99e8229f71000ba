"""The bundled identity models: where they lie."""

from __future__ import annotations

from pathlib import Path

MEMBERS = ("reidentification-1", "reidentification-2")  # they look together and share the card 'reidentification'


def bundled(name: str) -> Path:
    """The weights of a bundled network: one of `MEMBERS`, or 'verification'. A card lies under its model's name."""
    return Path(__file__).parent / f"{name}.safetensors"
