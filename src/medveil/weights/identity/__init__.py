"""The bundled identity models: where they lie, and their cards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from medveil.errors import InputError

MEMBERS = ("reidentification-1", "reidentification-2")  # they look together and share the card 'reidentification'


def bundled(name: str) -> Path:
    """The weights of a bundled network: one of `MEMBERS`, or 'verification'. A card lies under its model's name."""
    return Path(__file__).parent / f"{name}.safetensors"


def read_card(weights: Path) -> dict[str, Any]:
    """The card beside a file of weights: data, recipe, scores, licence. Empty where there is none."""
    card = weights.with_suffix(".json")
    if not card.is_file():
        return {}
    try:
        return dict(json.loads(card.read_text("utf-8")))
    except (OSError, ValueError):
        raise InputError(f"{card} is not a readable card; remove it or restore it") from None
