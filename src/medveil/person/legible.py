"""A text as its reader sees it: characters without width cut names in two for whoever searches, and for nobody who
reads."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from medveil.person.span import Found

_LOOKALIKES = "\u0400-\u04ff\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf"
# Written backwards it would read forwards; a line that ends within a word; letters of two alphabets in one word.
_DECEPTIVE = re.compile(
    r"[\u202a-\u202e\u2066-\u2069]|(?<=\w)[\u2028\u2029](?=\w)"
    rf"|[A-Za-z][{_LOOKALIKES}]|[{_LOOKALIKES}][A-Za-z]"
)
_INVISIBLE = frozenset({"Cf", "Mn", "Me"})
_BLANKS = {"Zs": " ", "Zl": "\n", "Zp": "\n"}
_WIDE = re.compile("[\uff01-\uff5e\U0001d400-\U0001d7ff]")  # the plain letters and digits once more, for looks


def is_deceptive(text: str) -> bool:
    """Whether it shows its readers something else than it says."""
    return not text.isascii() and _DECEPTIVE.search(text) is not None


@dataclass(frozen=True)
class Legible:
    """What is seen, and where its characters stand in the original; no places where both are the same."""

    text: str
    places: tuple[int, ...] = ()

    @classmethod
    def of(cls, text: str) -> Legible:
        letters = () if text.isascii() else set(text)
        changed = {letter: seen for letter in letters if (seen := _seen(letter)) != letter}
        if not changed:
            return cls(text)
        kept = [(place, seen) for place, letter in enumerate(text) if (seen := changed.get(letter, letter))]
        return cls("".join(seen for _, seen in kept), (*(place for place, _ in kept), len(text)))

    def in_original(self, found: Iterable[Found]) -> list[Found]:
        """The same there, each with the marks that follow its last letter."""
        if not self.places:
            return list(found)
        return [Found(self.places[one.start], self.places[one.end], one.category) for one in found]


def _seen(letter: str) -> str:
    """One character or none."""
    category = unicodedata.category(letter)
    if category in _INVISIBLE:
        return ""
    return unicodedata.normalize("NFKC", letter) if _WIDE.match(letter) else _BLANKS.get(category, letter)
