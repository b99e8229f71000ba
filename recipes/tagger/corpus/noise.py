"""What happens to texts on their way: capitals, wraps, misreadings, lost stops, folded accents. Places follow."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Sequence

from recipes.tagger.corpus.grammar import Pieces, text_of
from recipes.tagger.corpus.lists import lines

_LETTERS = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ß": "ss", "đ": "d", "æ": "ae", "ı": "i"})
_MISREAD = {
    "0": "O",
    "O": "0",
    "1": "l",
    "l": "1",
    "5": "S",
    "S": "5",
    "m": "rn",
    "B": "8",
    "e": "c",
    "i": "l",
    "I": "l",
    "g": "q",
}
_BETWEEN = re.compile(r"(?<=[a-z]) (?=[a-z])")
_WORD = re.compile(r"(?<![\w'-])[a-zA-Z][a-z]{3,}(?![\w'-])")


def _fold(text: str) -> str:
    spread = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return "".join(letter for letter in spread if letter.isascii() or not unicodedata.combining(letter))


def _each(pieces: Pieces, change: Callable[[str], str]) -> Pieces:
    return [(change(text), category) for text, category in pieces]


def _wrapped(pieces: Pieces, width: int, newline: str) -> Pieces:
    """Broken at spaces, also inside a name or a date."""
    text = text_of(pieces)
    letters = list(text)
    for line in re.finditer(r"[^\n]+", text):
        start, end = line.span()
        while end - start > width:
            cut = text.rfind(" ", start + 1, start + width + 1)
            if cut < 0:
                break
            letters[cut] = newline
            start = cut + 1
    wrapped, place = [], 0
    for piece, category in pieces:
        wrapped.append(("".join(letters[place : place + len(piece)]), category))
        place += len(piece)
    return wrapped


def _misread(rng: random.Random, rate: float) -> Callable[[str], str]:
    def change(text: str) -> str:
        return "".join(_MISREAD.get(letter, letter) if rng.random() < rate else letter for letter in text)

    return change


def _more_words(pieces: Pieces, words: list[str], rng: random.Random, share: float) -> Pieces:
    """Small words in between, and now and then any other."""

    def more(match: re.Match[str]) -> str:
        if rng.random() >= share:
            return match.group()
        source: Sequence[str] = lines("function_words") if not words or rng.random() < 0.7 else words
        word = source[int(rng.random() * len(source))]
        return f" {word.capitalize() if rng.random() < 0.1 else word} "

    return [(text if category else _BETWEEN.sub(more, text), category) for text, category in pieces]


def _swap_words(pieces: Pieces, words: list[str], rng: random.Random, share: float) -> Pieces:
    """Ordinary words for other ordinary words: what surrounds a name is not always what it was in the templates."""

    def swap(match: re.Match[str]) -> str:
        own = match.group()
        if rng.random() >= share * (1 if own[0].islower() else 0.4):
            return own
        word = words[int(rng.random() * len(words))]
        return word if own[0].islower() else word.capitalize()

    return [(text if category else _WORD.sub(swap, text), category) for text, category in pieces]


def disturbed(pieces: Pieces, rng: random.Random, words: list[str]) -> Pieces:
    if words and rng.random() < 0.4:
        pieces = _swap_words(pieces, words, rng, rng.choice([0.05, 0.15, 0.35]))
    if rng.random() < 0.2:
        pieces = _more_words(pieces, words, rng, rng.choice([0.03, 0.1, 0.25]))
    if rng.random() < 0.35:
        pieces = _each(pieces, _fold)
    case = rng.random()
    if case < 0.11:
        pieces = _each(pieces, str.upper)
    elif case < 0.21:
        pieces = _each(pieces, str.lower)
    elif case < 0.23:
        pieces = _each(pieces, str.title)
    if rng.random() < 0.05:
        stops = str.maketrans("", "", rng.choice([".", ",", ".,", ":", ".,:;"]))
        pieces = _each(pieces, lambda text: text.translate(stops))
    if rng.random() < 0.05:
        glue = rng.choice([(". ", "."), (": ", ":"), (", ", ",")])
        pieces = _each(pieces, lambda text: text.replace(*glue))
    if rng.random() < 0.07:
        pieces = _each(pieces, _misread(rng, rng.choice([0.003, 0.01, 0.02, 0.05])))
    if rng.random() < 0.06:
        pieces = _each(pieces, lambda text: text.replace(" ", "  "))
    if rng.random() < 0.05:
        pieces = _each(pieces, lambda text: text.replace("\n", rng.choice([" ", "  ", "\r\n", " / "])))
    if rng.random() < 0.35:
        pieces = _wrapped(pieces, rng.randint(38, 100), rng.choice(["\n", "\n", "\n", "\n "]))
    return pieces
