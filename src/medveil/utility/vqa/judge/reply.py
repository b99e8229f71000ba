"""Reading a judge's reply: the first JSON object in it counts, and what cannot be read is a failure, worth 0."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

MOST_CHARACTERS = 65_536  # of a reply that are looked at
LONGEST_REASON = 300  # characters


@dataclass(frozen=True)
class Judgement:
    """`score` is 0 or 1; a reply that could not be read is 0, as published, and `read` says so."""

    score: int
    reason: str = ""
    read: bool = True


UNREADABLE = Judgement(0, read=False)


def read_reply(text: str) -> Judgement:
    """The first object decides, even where a later one would say something else."""
    found = first_object(text[:MOST_CHARACTERS])
    if found is None:
        return UNREADABLE
    score, reason = found.get("score"), found.get("reason", "")
    if isinstance(score, bool) or score not in (0, 1):
        return UNREADABLE
    return Judgement(int(score), reason[:LONGEST_REASON] if isinstance(reason, str) else "")


def first_object(text: str) -> dict[str, Any] | None:
    """The first braces that are JSON; what stands inside of others, or of braces that never close, is not looked at."""
    start = text.find("{")
    while start >= 0:
        end = _closing(text, start)
        if end is None:
            return None
        try:
            found: dict[str, Any] = json.loads(
                text[start:end], object_pairs_hook=_without_doubles, parse_constant=_refuse
            )
            return found
        except (ValueError, RecursionError):
            start = text.find("{", end)
    return None


def _closing(text: str, start: int) -> int | None:
    """Where the brace at `start` is closed; braces inside of strings do not count."""
    depth, quoted, escaped = 0, False, False
    for at in range(start, len(text)):
        character = text[at]
        if escaped:
            escaped = False
        elif quoted:
            escaped, quoted = character == "\\", character != '"'
        elif character == '"':
            quoted = True
        elif character in "{}":
            depth += 1 if character == "{" else -1
            if not depth:
                return at + 1
    return None


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Two scores in one object are none."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
