"""The words of known people's names, and which words of a text they may be."""

from __future__ import annotations

import re
import string
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from medveil.person.identifiers import Category
from medveil.person.name import PersonName
from medveil.person.normalised import Word, one_error_apart, shortened
from medveil.person.search.ordinary_words import ABBREVIATIONS, is_ordinary

SHORTEST_ALONE = 4  # letters; shorter names are also syllables, and need another name beside them
SHORTEST_MISTYPED = 5  # and of four letters beside another name
_SHORTEST_INSIDE = 6  # of a longer word of letters: MARLOWEJANE
_TIES = frozenset("-'’‐‑")
_CAPITALS, _SMALL = string.ascii_uppercase.encode(), string.ascii_lowercase.encode()


@dataclass(frozen=True, slots=True)
class Part:
    """One word of one person's name."""

    person: int
    word: str
    joined: bool


@dataclass(slots=True)
class Hit:
    """A word of the text that is, or may be, a part of names: `sure` ones count alone."""

    parts: list[Part]
    exact: bool
    sure: bool
    words: int = 1  # of the text, where a compound is written apart


class NameIndex:
    def __init__(self, names: Iterable[tuple[Category, str]]) -> None:
        self.people: list[tuple[Category, PersonName]] = []
        for category, value in names:
            self.people += [(category, name) for name in PersonName.all_of(value)]
        self._parts: dict[str, list[Part]] = defaultdict(list)
        self._shortened: dict[str, tuple[str, ...]] = {}
        self.initials: dict[str, set[int]] = defaultdict(set)
        for person, (_, name) in enumerate(self.people):
            for word in name.parts:
                self._parts[word].append(Part(person, word, joined=False))
            for word in name.joined:
                self._parts[word].append(Part(person, word, joined=True))
            for initials in name.initials:
                self.initials[initials].add(person)
        for word in self._parts:
            if len(word) >= SHORTEST_MISTYPED - 1:
                for short in shortened(word):
                    self._shortened[short] = (*self._shortened.get(short, ()), word)
        self._lengths = frozenset(length for word in self._parts for length in range(len(word) - 1, len(word) + 2))
        # One error leaves the beginning or the end of a word as it was.
        self._long = [word for word in self._parts if len(word) >= SHORTEST_ALONE]
        self._beginnings = frozenset(start for word in self._long for start in (word[:2], word[0] + word[2]))
        self._endings = frozenset(word[-2:] for word in self._long)
        # Two words that may begin a compound of three.
        self._openings = frozenset(word[:end] for word in self._parts for end in range(3, len(word)) if len(word) > 5)
        self._pairs = self._openings | self._parts.keys()
        self._near_words: dict[str, frozenset[str]] = {}

    def __bool__(self) -> bool:
        return bool(self.people)

    @cached_property
    def _inner(self) -> re.Pattern[str]:
        """Made for the few texts that have a name inside a longer word."""
        return re.compile("|".join(map(re.escape, sorted(self._long, key=len, reverse=True))))

    def matches(self, word: str) -> bool:
        """For a burned-in word: no context is needed there, only enough letters."""
        if len(word) < 3 and word in ABBREVIATIONS:
            return False
        if len(word) > 1 and (word in self._parts or word in self.initials):
            return True
        return not is_ordinary(word) and any(len(known) >= SHORTEST_MISTYPED for known in self._near(word))

    def _near(self, word: str) -> frozenset[str]:
        """Known words that one typing error turns into this one."""
        if word[:2] not in self._beginnings and word[-2:] not in self._endings:
            return frozenset()
        if len(word) not in self._lengths or len(word) < SHORTEST_ALONE - 1:
            return frozenset()
        near = self._near_words.get(word)
        if near is None:
            near = self._near_words[word] = frozenset(self._one_error_away(word))
        return near

    def _one_error_away(self, word: str) -> set[str]:
        found = set(self._shortened.get(word, ()))
        for short in shortened(word):
            if short in self._parts and len(short) >= SHORTEST_MISTYPED - 1:
                found.add(short)
            for candidate in self._shortened.get(short, ()):
                if one_error_apart(word, candidate):
                    found.add(candidate)
        return found

    def hits(self, text: str, words: list[Word], shouted: bool) -> dict[int, Hit]:
        """By the number of the word; a capital says nothing where a text is `shouted`."""
        hits: dict[int, Hit] = {}
        last = len(words) - 1
        for at in self._worth_a_look(text, words):
            if at < last and (hit := self._written_apart(text, words, at)):
                hits[at] = hit
            elif found := self._alone(words[at], shouted):
                hits[at] = found
        return hits

    def _worth_a_look(self, text: str, words: list[Word]) -> list[int]:
        """In order, every word that can be a hit, and few others: what takes long is asked of these alone."""
        parts, beginnings, endings = self._parts, self._beginnings, self._endings
        folded = [word.folded for word in words]
        found = [at for at, one in enumerate(folded) if one[:2] in beginnings or one[-2:] in endings or one in parts]
        others = "\n".join([one for one in folded if one not in parts])
        if inside := [part for part in self._long if part in others]:
            found += [at for at, one in enumerate(folded) if any(part in one for part in inside)]
        pairs = [one + two for one, two in pairwise(folded)]
        if not self._pairs.isdisjoint(pairs):
            found += [at for at, pair in enumerate(pairs) if pair in self._pairs]
        found += [at for at, word in enumerate(words[:-1]) if text[word.end] in _TIES]
        return sorted(set(found))

    def _written_apart(self, text: str, words: list[Word], at: int) -> Hit | None:
        """A compound or a word broken in two: O'Brien for obrien, Pem berton for pemberton."""
        one, two = words[at], words[at + 1]
        pair = one.folded + two.folded
        tied = two.start == one.end + 1 and text[one.end] in _TIES
        if tied and len(pair) > SHORTEST_ALONE and pair not in self._parts and (near := self._near(pair)):
            parts = [part for word in near for part in self._parts[word]]
            return Hit(parts, exact=False, sure=True, words=2)
        three = words[at : at + 3]
        written = "".join(word.folded for word in three) if len(three) == 3 and pair in self._openings else ""
        if written in self._parts and _tied(text, three):
            return Hit(self._parts[written], exact=True, sure=True, words=3)
        if pair in self._parts and len(pair) > SHORTEST_ALONE and _tied(text, words[at : at + 2]):
            return Hit(self._parts[pair], exact=True, sure=True, words=2)
        return None

    def _alone(self, word: Word, shouted: bool) -> Hit | None:
        if parts := self._parts.get(word.folded):
            sure = len(word.folded) >= SHORTEST_ALONE and not is_ordinary(word.folded)
            return Hit(parts, exact=True, sure=sure)
        near = self._near(word.folded)
        if not near:
            return self._inside(word)
        parts = [part for known in near for part in self._parts[known]]
        long = max(map(len, near)) >= SHORTEST_MISTYPED
        sure = long and not is_ordinary(word.folded) and (word.capital or shouted or len(word.folded) >= 7)
        return Hit(parts, exact=False, sure=sure)

    def _inside(self, word: Word) -> Hit | None:
        """A name run together with other words, or with the letters and digits that a wrong decoding makes."""
        if not any(part in word.folded for part in self._long) or is_ordinary(word.folded):
            return None
        plain = word.written.isascii() and word.written.isalpha()
        least = _SHORTEST_INSIDE if plain else SHORTEST_ALONE
        inside = [part for part in self._inner.findall(word.folded) if len(part) >= least and not is_ordinary(part)]
        return Hit(self._parts[max(inside, key=len)], exact=False, sure=True) if inside else None


def _tied(text: str, words: list[Word]) -> bool:
    """Whether words make up one: by a hyphen or apostrophe, or by a blank where neither is a word of its own."""
    gaps = [text[one.end : other.start] for one, other in pairwise(words)]
    if all(gap in _TIES for gap in gaps):
        return True
    if any(len(gap) > 2 or gap.strip(" -'’‐‑\n_.") for gap in gaps):
        return False
    return not any(is_ordinary(word.folded) and len(word.folded) > 1 for word in words)


def shouted(text: str) -> bool:
    """Whether a text is in capitals throughout, so that they say nothing."""
    letters = text.encode("ascii", "ignore")
    capitals, small = (len(letters) - len(letters.translate(None, some)) for some in (_CAPITALS, _SMALL))
    return capitals > 4 * small
