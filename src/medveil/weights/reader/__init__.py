"""The bundled reader of burned-in text: where its weights lie, and its card."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = "reader.safetensors"


def bundled() -> Path:
    """The weights; the card lies beside them as .json and .md."""
    return Path(__file__).parent / FILE


def read_card() -> dict[str, Any]:
    """What the bundled reader was made from, how, and what it scores."""
    return dict(json.loads(bundled().with_suffix(".json").read_text("utf-8")))
