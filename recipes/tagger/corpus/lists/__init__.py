"""What texts are made of: templates, terms, names and places, one a line."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

_SIGNS = (("\\n", "\n"), ("\\t", "\t"), ("\\\\", "\\"))


@lru_cache(maxsize=100)
def lines(name: str) -> tuple[str, ...]:
    """A list by its name; line breaks and tabs inside an entry are written \\n and \\t."""
    text = (Path(__file__).parent / f"{name}.txt").read_text("utf-8")
    return tuple(_plain(line) for line in text.splitlines())


def _plain(line: str) -> str:
    for written, meant in _SIGNS:
        line = line.replace(written, meant)
    return line


def by_origin(name: str) -> dict[str, list[str]]:
    """Names by where they come from; _ stands for the space inside a name."""
    entries = (line.split(": ", 1) for line in lines(name))
    return {origin: [one.replace("_", " ") for one in names.split()] for origin, names in entries}
