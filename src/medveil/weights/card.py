"""The card beside a file of weights: what the network was made from, how, and what it scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from medveil.errors import InputError


def read_card(weights: Path) -> dict[str, Any]:
    """Data, recipe, scores, licence; empty where weights of one's own have no card."""
    card = weights.with_suffix(".json")
    if not card.is_file():
        return {}
    try:
        return dict(json.loads(card.read_text("utf-8")))
    except (OSError, ValueError):
        raise InputError(f"{card} is not a readable card; remove it or restore it") from None
