"""One text a number: the same number always gives the same text."""

from __future__ import annotations

import random
from dataclasses import dataclass

from medveil.person.span import Span
from recipes.tagger.corpus.dictation import dictated
from recipes.tagger.corpus.documents import KINDS
from recipes.tagger.corpus.grammar import Pieces, found_in, text_of
from recipes.tagger.corpus.noise import disturbed
from recipes.tagger.corpus.people import Lexicon
from recipes.tagger.corpus.refill import refilled, revalued
from recipes.tagger.corpus.visit import Visit


@dataclass(frozen=True)
class Document:
    text: str
    found: tuple[Span, ...]


def document(number: int, lexicon: Lexicon | None = None) -> Document:
    rng = random.Random(number)
    visit = Visit(rng, lexicon or Lexicon())
    write = rng.choices([kind for _, kind in KINDS], [share for share, _ in KINDS])[0]
    return as_document(disturbed(write(visit), rng, visit.lexicon.words))


def changed(original: Document, number: int, lexicon: Lexicon | None = None) -> Document:
    """A text from elsewhere with other people and places in it, or as it is."""
    rng = random.Random(number)
    if rng.random() < 0.2:
        return original
    lexicon = lexicon or Lexicon()
    pieces = refilled(original.text, original.found, rng, lexicon) if rng.random() < 0.7 else cut(original)
    if rng.random() < 0.5:
        pieces = revalued(pieces, rng)
    if rng.random() < 0.4:
        pieces = _part_of(pieces, rng)
    if rng.random() < 0.15:
        pieces = dictated(pieces, rng)
    return as_document(disturbed(pieces, rng, lexicon.words))


def _part_of(pieces: Pieces, rng: random.Random) -> Pieces:
    """From somewhere to somewhere, with what stands before the first identifier."""
    plain = [place for place, (_, category) in enumerate(pieces) if category is None]
    first, last = sorted(rng.choices(plain, k=2))
    return pieces[first : last + 1]


def cut(original: Document) -> Pieces:
    pieces: Pieces = []
    place = 0
    for one in original.found:
        pieces += [(original.text[place : one.start], None), (original.text[one.start : one.end], one.category)]
        place = one.end
    return [*pieces, (original.text[place:], None)]


def as_document(pieces: Pieces) -> Document:
    return Document(text_of(pieces), tuple(found_in(pieces)))
