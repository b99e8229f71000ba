"""Text that knows which of its parts identify somebody.

Every identifier is marked when it is written; its span follows from the pieces before it. Nothing is ever
searched for afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from medveil.cohort.phantom.gold import Identifier, Statement
from medveil.person.identifiers import Category


@dataclass(frozen=True, slots=True)
class Claim:
    """What a sentence says: see `gold.Statement`."""

    labels: tuple[str, ...]
    says: str
    side: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    category: Category | None = None
    value: str = ""
    misspelled: bool = False
    claim: Claim | None = None


@dataclass(frozen=True, slots=True)
class MarkedText:
    pieces: tuple[Piece, ...] = ()

    def __add__(self, other: MarkedText | str) -> MarkedText:
        return MarkedText(self.pieces + as_marked(other).pieces)

    def __radd__(self, other: str) -> MarkedText:
        return as_marked(other) + self

    def __bool__(self) -> bool:
        return any(piece.text for piece in self.pieces)

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)

    def mapped(self, change: Callable[[str], str]) -> MarkedText:
        """Each piece's text changed; spans follow."""
        return MarkedText(tuple(replace(piece, text=change(piece.text)) for piece in self.pieces))

    def upper(self) -> MarkedText:
        return self.mapped(str.upper)

    def about(self, claim: Claim) -> MarkedText:
        return MarkedText(tuple(replace(piece, claim=claim) for piece in self.pieces))

    def padded(self, width: int) -> MarkedText:
        """Filled up with spaces, for columns."""
        return self + " " * max(width - len(self.text), 1)

    def wrapped(self, width: int) -> MarkedText:
        """Long lines broken at spaces, also inside a name or a date, as reports on paper are."""
        letters = list(self.text)
        for line in re.finditer(r"[^\n]+", self.text):
            start, end = line.span()
            while end - start > width:
                cut = self.text.rfind(" ", start + 1, start + width + 1)
                if cut < 0:
                    break
                letters[cut] = "\n"
                start = cut + 1
        text, pieces, place = "".join(letters), [], 0
        for piece in self.pieces:
            pieces.append(replace(piece, text=text[place : place + len(piece.text)]))
            place += len(piece.text)
        return MarkedText(tuple(pieces))

    def identifiers(self) -> tuple[Identifier, ...]:
        found, place = [], 0
        for piece in self.pieces:
            end = place + len(piece.text)
            if piece.category is not None:
                found.append(Identifier(place, end, piece.text, piece.category, piece.value, piece.misspelled))
            place = end
        return tuple(found)

    def statements(self) -> tuple[Statement, ...]:
        """Neighbouring pieces of one claim are one statement."""
        found: list[Statement] = []
        place, before = 0, None
        for piece in self.pieces:
            end, claim = place + len(piece.text), piece.claim
            if claim is not None and claim is before:
                found[-1] = replace(found[-1], end=end)
            elif claim is not None:
                found.append(Statement(place, end, claim.labels, claim.says, claim.side))
            place, before = end, claim
        return tuple(found)


def as_marked(text: MarkedText | str) -> MarkedText:
    return text if isinstance(text, MarkedText) else MarkedText((Piece(text),))


def mark(text: str, category: Category, value: str | None = None, *, misspelled: bool = False) -> MarkedText:
    """An identifier, and what it stands for where that differs from what is written."""
    return MarkedText((Piece(text, category, text if value is None else value, misspelled),))


def join(separator: str, parts: Iterable[MarkedText | str]) -> MarkedText:
    pieces: list[Piece] = []
    for part in parts:
        if pieces:
            pieces.append(Piece(separator))
        pieces.extend(as_marked(part).pieces)
    return MarkedText(tuple(pieces))


def fill(template: str, **slots: MarkedText | str) -> MarkedText:
    """The template with each `{name}` replaced by its slot."""
    pieces: list[Piece] = []
    for place, part in enumerate(re.split(r"\{(\w+)\}", template)):
        if place % 2:
            pieces.extend(as_marked(slots[part]).pieces)
        elif part:
            pieces.append(Piece(part))
    return MarkedText(tuple(pieces))


def capitalized(text: MarkedText) -> MarkedText:
    """With a capital first letter."""
    if not text.pieces:
        return text
    first = text.pieces[0]
    return MarkedText((replace(first, text=first.text[:1].upper() + first.text[1:]), *text.pieces[1:]))


_CHOICE = re.compile(r"\[([^\[\]]*)\]")


def vary(rng: np.random.Generator, pattern: str) -> str:
    """One reading of the pattern: each `[a|b|c]`, innermost first, becomes one of its parts."""
    while choice := _CHOICE.search(pattern):
        options = choice.group(1).split("|")
        pattern = pattern[: choice.start()] + options[int(rng.integers(len(options)))] + pattern[choice.end() :]
    return pattern
