"""Templates: `[a|b]` is one of its parts, `{slot}` is drawn; a text remembers which of its pieces identify somebody."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from medveil.person.identifiers import Category
from medveil.person.span import Span

Piece: TypeAlias = tuple[str, Category | None]
Pieces: TypeAlias = list[Piece]
Slot: TypeAlias = Callable[[str], Pieces]
Node: TypeAlias = "str | tuple[str] | list[list[Node]]"  # letters, a slot's name, or the parts of a choice


@lru_cache(maxsize=20_000)
def parsed(template: str) -> list[Node]:
    nodes, end = _sequence(template, 0, closing="")
    if end != len(template):
        raise ValueError("a template's brackets do not match")
    return nodes


def _sequence(template: str, place: int, closing: str) -> tuple[list[Node], int]:
    nodes: list[Node] = []
    start = place
    while place < len(template) and template[place] not in closing:
        letter = template[place]
        if letter not in "[{":
            place += 1
            continue
        if place > start:
            nodes.append(template[start:place])
        if letter == "{":
            end = template.index("}", place)
            nodes.append((template[place + 1 : end],))
            place = end + 1
        else:
            parts, place = _choice(template, place)
            nodes.append(parts)
        start = place
    if place > start:
        nodes.append(template[start:place])
    return nodes, place


def _choice(template: str, place: int) -> tuple[list[list[Node]], int]:
    parts: list[list[Node]] = []
    while template[place] != "]":
        part, place = _sequence(template, place + 1, closing="|]")
        parts.append(part)
    return parts, place + 1


def render(template: str, rng: random.Random, slot: Slot) -> Pieces:
    pieces: Pieces = []
    _render(parsed(template), rng, slot, pieces)
    return pieces


def _render(nodes: list[Node], rng: random.Random, slot: Slot, pieces: Pieces) -> None:
    for node in nodes:
        if isinstance(node, str):
            pieces.append((node, None))
        elif isinstance(node, tuple):
            pieces.extend(slot(node[0]))
        else:
            _render(node[int(rng.random() * len(node))], rng, slot, pieces)


def text_of(pieces: Pieces) -> str:
    return "".join(text for text, _ in pieces)


def found_in(pieces: Pieces) -> list[Span]:
    found, place = [], 0
    for text, category in pieces:
        end = place + len(text)
        if category is not None and text.strip():
            inner = text.strip()
            start = place + text.index(inner)
            found.append(Span(start, start + len(inner), category))
        place = end
    return found


def capitalized(pieces: Pieces) -> Pieces:
    """With a capital first letter."""
    for number, (text, category) in enumerate(pieces):
        if text.strip():
            start = len(text) - len(text.lstrip())
            raised = text[:start] + text[start : start + 1].upper() + text[start + 1 :]
            return [*pieces[:number], (raised, category), *pieces[number + 1 :]]
    return pieces
