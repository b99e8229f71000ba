"""The part that the page of every bundled model's card ends with: what it is for, its limits, recipe and licence."""

from __future__ import annotations

from typing import Any


def closing(card: dict[str, Any]) -> list[str]:
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
        f"**Licence** {card['licence']}.",
        "",
    ]
    return [*lines, f"**Citation** {card['citation']}", ""] if "citation" in card else lines
