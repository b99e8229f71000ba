"""Finding initials of known people: J.S. with full stops, or JS in capitals where that is no abbreviation."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from medveil.person.identifiers import Category
from medveil.person.normalised import Word
from medveil.person.search.ordinary_words import is_ordinary
from medveil.person.span import Span

_MOST = 4  # letters
# "rad: AF", "OP/me", "OP:gm", "- CO 8 Jun": whose initials end a report
_SIGNING = re.compile(
    r"(?:\b(?:rad|tech|read|dict\w*|sign\w*|md|by|init\w*)\s?[:.]\s?|^-\s)$", re.IGNORECASE | re.MULTILINE
)
_TYPIST = re.compile(r"\s?[/:]\s?[a-z]{2,3}\b")
_DEGREES_AND_HOURS = frozenset({"md", "do", "pa", "am", "pm", "rn", "ms", "ba", "bs", "us"})


def initials_in(text: str, words: list[Word], known: Collection[str]) -> Iterator[Span]:
    for at, word in enumerate(words):
        if not word.written.isupper():
            continue
        if 2 <= len(word.folded) <= _MOST:
            if word.folded in known and (not is_ordinary(word.folded) or _signs(text, word)):
                yield Span(word.start, word.end, Category.INITIALS)
        elif len(word.folded) == 1 and text[word.end : word.end + 1] == ".":
            yield from _dotted(text, words[at : at + _MOST], known)


def _signs(text: str, word: Word) -> bool:
    return bool(_TYPIST.match(text, word.end) or _SIGNING.search(text, max(word.start - 16, 0), word.start))


def _dotted(text: str, words: list[Word], known: Collection[str]) -> Iterator[Span]:
    first = last = words[0]
    letters = first.folded
    for word in words[1:]:
        if len(word.folded) > 1 or not word.written.isupper() or text[last.end : word.start] not in (".", ". "):
            return
        last = word
        letters += word.folded
        if letters in known and letters not in _DEGREES_AND_HOURS:
            yield Span(first.start, last.end + (text[last.end : last.end + 1] == "."), Category.INITIALS)
            return
