"""Keyed draws: the same value gives the same digits, and what is drawn is nothing that is known of the person."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

from medveil.person.normalised import fold
from medveil.person.person import Person
from medveil.person.search.known import KnownSearch, search_of

REMOVED = "[REMOVED]"
_TRIES = 64
_NO_LETTER = re.compile(r"[\W_]+")


class Drawing:
    """For one person: what belongs to the hospital is keyed by its value alone, unless sites are not told."""

    def __init__(self, person: Person) -> None:
        self.person = person

    def fresh(self, piece: str, make: Callable[[int], str]) -> str:
        """The first attempt that is neither what it stands for nor anything known of the person."""
        for turn in range(_TRIES):
            made = make(turn)
            if plain(made) != plain(piece) and not self._search.tells(made):
                return made
        return REMOVED

    def digits(self, kind: str, value: str, turn: int) -> str:
        """Forty decimal digits that stand for this value."""
        keyed = self._keyed(kind, value, turn)
        return str(keyed * 10**20 + keyed)[:40].zfill(40)

    def number(self, kind: str, value: str, turn: int, below: int) -> int:
        return self._keyed(kind, value, turn) % below

    def one_of(self, kind: str, value: str, turn: int, stock: tuple[str, ...]) -> str:
        return stock[self.number(kind, value, turn, len(stock))]

    def _keyed(self, kind: str, value: str, turn: int) -> int:
        return int(self.person.keys.pseudonym(f"surrogate {kind} {turn}", self.person.owned(plain(value))), 16)

    @cached_property
    def _search(self) -> KnownSearch:
        return search_of(self.person)


def plain(value: str) -> str:
    """Letters and digits alone: how a value is compared and keyed."""
    return _NO_LETTER.sub("", fold(value)).upper()


def cased(like: str, text: str) -> str:
    if like.isupper():
        return text.upper()
    return text.lower() if like.islower() else text
