"""What the cards of all bundled models share: how they are written, and the part that their pages end with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from medveil.runtime.storage import sha256_of, write_bytes, write_json

Card = dict[str, Any]


def write_card(path: Path, card: Card, page: Callable[[Card], str], *, weights: Sequence[Path]) -> None:
    """Both files of a card, `path` with their endings; the hashes tell which weights it speaks of."""
    card = card | {"weights": {file.name: sha256_of(file) for file in weights}}
    write_json(path.with_suffix(".json"), card)
    write_bytes(path.with_suffix(".md"), page(card).encode())


def closing(card: Card) -> list[str]:
    """The lines below the scores."""
    lines = [
        f"**For** {card['for']}.",
        "",
        "**Not for**",
        "",
        *(f"- {line}" for line in card["not_for"]),
        "",
        "**Limits**",
        "",
        *(f"- {line}" for line in card["limits"]),
        "",
        "**Recipe** (seeds: " + ", ".join(f"{name} {seed}" for name, seed in card["seeds"].items()) + ")",
        "",
        *(f"    {line}" for line in card["recipe"]),
        "",
        "**Weights** (SHA-256)",
        "",
        *(f"- {name}: {digest}" for name, digest in card["weights"].items()),
        "",
        f"**Licence** {card['licence']}.",
        "",
    ]
    return [*lines, f"**Citation** {card['citation']}", ""] if "citation" in card else lines
