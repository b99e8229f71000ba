"""The bundled inpainting generator: where it lies."""

from __future__ import annotations

from pathlib import Path


def bundled() -> Path:
    return Path(__file__).parent / "generator.safetensors"
