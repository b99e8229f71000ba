"""Normalised text: as its reader sees it, and its words as they are compared.

Characters without width cut names in two for whoever searches, and for nobody who reads. Words are compared without
case and accents, and with one typing error allowed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from medveil.person.span import Span

_LOOKALIKES = "\u0400-\u04ff\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf"
# Written backwards it would read forwards; a line that ends within a word; letters of two alphabets in one word.
_DECEPTIVE = re.compile(
    r"[\u202a-\u202e\u2066-\u2069]|(?<=\w)[\u2028\u2029](?=\w)"
    rf"|[A-Za-z][{_LOOKALIKES}]|[{_LOOKALIKES}][A-Za-z]"
)
_INVISIBLE = frozenset({"Cf", "Mn", "Me"})
_BLANKS = {"Zs": " ", "Zl": "\n", "Zp": "\n"}
_WIDE = re.compile("[\uff01-\uff5e\U0001d400-\U0001d7ff]")  # the plain letters and digits once more, for looks

# Letters that have no accent to take off.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "ß": "ss", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i", "ħ": "h"}
)
# How German and Nordic letters are spelled out where the keyboard has none.
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "ñ": "ny"})
# Marks and characters without width do not end a word; neither does what stands for an unreadable letter.
_WORD = re.compile(r"((?:[^\W_]|[\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufeff\ufffd])+)")
_PLAIN_WORD = re.compile(r"([^\W_]+)")
_SHORT = 200  # characters; a longer text is a report


def is_deceptive(text: str) -> bool:
    """Whether it shows its readers something else than it says."""
    return not text.isascii() and _DECEPTIVE.search(text) is not None


@dataclass(frozen=True)
class NormalisedText:
    """What is seen, and where its characters stand in the original; no places where both are the same."""

    text: str
    places: tuple[int, ...] = ()

    @classmethod
    def of(cls, text: str) -> NormalisedText:
        letters = () if text.isascii() else set(text)
        changed = {letter: seen for letter in letters if (seen := _seen(letter)) != letter}
        if not changed:
            return cls(text)
        kept = [(place, seen) for place, letter in enumerate(text) if (seen := changed.get(letter, letter))]
        return cls("".join(seen for _, seen in kept), (*(place for place, _ in kept), len(text)))

    def in_original(self, found: Iterable[Span]) -> list[Span]:
        """The same there, each with the marks that follow its last letter."""
        if not self.places:
            return list(found)
        return [type(one)(self.places[one.start], self.places[one.end], one.category) for one in found]


def _seen(letter: str) -> str:
    """One character or none."""
    category = unicodedata.category(letter)
    if category in _INVISIBLE:
        return ""
    return unicodedata.normalize("NFKC", letter) if _WIDE.match(letter) else _BLANKS.get(category, letter)


class Word(NamedTuple):
    """Characters [start, end) of a text, and how they compare."""

    start: int
    end: int
    written: str
    folded: str

    @property
    def capital(self) -> bool:
        return self.written[0].isupper()


def words_of(text: str) -> list[Word]:
    """Every run of letters and digits. A whole text is asked for several times in a row, and read once."""
    return list(_remembered_words(text)) if len(text) > _SHORT else _words(text)


@lru_cache(maxsize=8)
def _remembered_words(text: str) -> tuple[Word, ...]:
    return tuple(_words(text))


def _words(text: str) -> list[Word]:
    parts = (_PLAIN_WORD if text.isascii() else _WORD).split(text)  # what stands between words, and every word
    ends = list(accumulate(map(len, parts)))
    found = map(Word._make, zip(ends[:-1:2], ends[1::2], parts[1::2], map(fold, parts[1::2]), strict=True))
    return [word for word in found if word.folded]


@lru_cache(maxsize=1 << 15)
def fold(text: str) -> str:
    """Lower case without accents or invisible characters."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return "".join(letter for letter in plain if letter.isalnum() or letter == "\ufffd")


def spellings(text: str) -> set[str]:
    """The folded word, and with its umlauts spelled out."""
    lowered = unicodedata.normalize("NFC", text).lower()
    return {fold(text), fold(lowered.translate(_SPELLED_OUT))}


@lru_cache(maxsize=1 << 15)
def shortened(word: str) -> frozenset[str]:
    """The word with each of its letters left out once."""
    return frozenset(word[:place] + word[place + 1 :] for place in range(len(word)))


def one_error_apart(one: str, other: str) -> bool:
    """Whether a letter lost, added, replaced or swapped with its neighbour turns one into the other."""
    if one == other:
        return True
    if len(one) > len(other):
        one, other = other, one
    if len(other) - len(one) > 1:
        return False
    start = 0
    while start < len(one) and one[start] == other[start]:
        start += 1
    if len(one) < len(other):
        return one[start:] == other[start + 1 :]
    rest, other_rest = one[start:], other[start:]
    return rest[1:] == other_rest[1:] or (rest[:2] == other_rest[1::-1] and rest[2:] == other_rest[2:])
