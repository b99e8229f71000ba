"""Names nobody bears yet, made from those that people do."""

from __future__ import annotations

import random
from collections import defaultdict
from functools import lru_cache

from recipes.tagger.corpus.lists import by_origin, lines

_BOUND = "\0"


class CoinedNames:
    """New names from the letters of known ones: what follows two or three letters follows them here too."""

    def __init__(self, names: list[str]) -> None:
        self._after: dict[str, list[str]] = defaultdict(list)
        for name in names:
            if " " in name or len(name) < 4:
                continue
            padded = _BOUND * 3 + name.lower() + _BOUND
            for place in range(3, len(padded)):
                self._after[padded[place - 3 : place]].append(padded[place])
                self._after[padded[place - 2 : place]].append(padded[place])

    def draw(self, rng: random.Random) -> str:
        while True:
            name = _BOUND * 3
            while len(name) < 17:
                known = self._after.get(name[-3:] if rng.random() < 0.75 else name[-2:]) or self._after[name[-2:]]
                letter = known[int(rng.random() * len(known))]
                if letter == _BOUND:
                    break
                name += letter
            if 4 <= len(name) - 3 <= 13:
                return "-".join(part.capitalize() for part in name[3:].split("-"))


@lru_cache(maxsize=2)
def coined(kind: str) -> CoinedNames:
    lists = by_origin("given_names" if kind == "given" else "surnames")
    return CoinedNames([name for names in lists.values() for name in names])


@lru_cache(maxsize=4)
def coined_words(kind: str, known: tuple[str, ...]) -> CoinedNames:
    return CoinedNames([word for words in known for word in words.split()])


@lru_cache(maxsize=2)
def telling_words(known: tuple[str, ...]) -> tuple[str, ...]:
    """Those that a house may be called by: no small words."""
    small = frozenset(lines("function_words"))
    return tuple(word for word in known if len(word) > 3 and word not in small) or lines("function_words")
