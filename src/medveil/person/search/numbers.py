"""Finding known numbers, addresses and other exact values, however they are spaced and punctuated."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from medveil.person.identifiers import NUMBERS, Category
from medveil.person.normalised import Word, fold, one_error_apart
from medveil.person.search.ordinary_words import ABBREVIATIONS, is_ordinary
from medveil.person.span import Span

_SHORTEST = 4  # characters
_SHORTEST_APART = 6  # below, a number is taken only where it is written in one piece
_SHORTEST_MISTYPED = 7
_LONGEST_GAP = 3
_STREET_ENDINGS = {
    "street": "st",
    "avenue": "ave",
    "road": "rd",
    "drive": "dr",
    "lane": "ln",
    "court": "ct",
    "boulevard": "blvd",
    "crescent": "cres",
    "terrace": "ter",
    "square": "sq",
}
_GENERIC_WORDS = """
hospital medical center centre clinic university general regional memorial health healthcare system infirmary saint
the and of for county community city national children department radiology imaging institute north south east west
veterans college school associates group trust nhs
"""
_GENERIC = frozenset(_GENERIC_WORDS.split())


@dataclass(frozen=True, slots=True)
class _Needle:
    """Letters and digits to look for, in this order whatever stands between them."""

    letters: str
    category: Category
    mistyped: bool = False


class KnownNumbers:
    def __init__(self, values: Iterable[tuple[Category, str]]) -> None:
        needles: dict[str, _Needle] = {}
        for category, value in values:
            for needle in _needles(category, value):
                needles.setdefault(needle.letters, needle)
        self.needles = sorted(needles.values(), key=lambda needle: (-len(needle.letters), needle.letters))
        self._near = [needle for needle in self.needles if needle.mistyped]
        self._near_lengths = frozenset(len(needle.letters) + more for needle in self._near for more in (-1, 0, 1))

    def find(self, text: str, words: list[Word]) -> Iterator[Span]:
        stream = "".join([word.folded for word in words])
        starts: list[int] = []
        for needle in self.needles:
            at = stream.find(needle.letters)
            while at >= 0:
                starts = starts or _starts(words)
                if found := self._placed(text, words, starts, needle, at):
                    yield found
                at = stream.find(needle.letters, at + 1)
        if self._near:
            yield from self._mistyped(words)

    def matches(self, letters: str) -> bool:
        """For a burned-in word: whether a known number, or most of one, is in it."""
        for needle in self.needles:
            if letters == needle.letters or (len(letters) >= _SHORTEST and needle.letters in letters):
                return True
            if len(letters) > _SHORTEST and letters in needle.letters:
                return True
            if needle.mistyped and one_error_apart(letters, needle.letters):
                return True
        return False

    @staticmethod
    def _placed(text: str, words: list[Word], starts: list[int], needle: _Needle, at: int) -> Span | None:
        """The find, unless it is a piece of a longer number or runs across a sentence."""
        end = at + len(needle.letters) - 1
        first, last = bisect_right(starts, at) - 1, bisect_right(starts, end) - 1
        offset, end_offset = at - starts[first], end - starts[last]
        start_word, end_word = words[first], words[last]
        before = start_word.folded[offset - 1 : offset] if offset else ""
        after = end_word.folded[end_offset + 1 : end_offset + 2]
        if before and before.isdigit() == needle.letters[0].isdigit():
            return None
        if after and after.isdigit() == needle.letters[-1].isdigit():
            return None
        gaps = [text[one.end : other.start] for one, other in zip(words[first:last], words[first + 1 :], strict=False)]
        if len(needle.letters) < _SHORTEST_APART:
            if any(gap not in ("-", "/", ".") for gap in gaps):
                return None
        elif any(len(gap) > _LONGEST_GAP + 20 * ("\n" in gap) for gap in gaps):
            return None
        same_length = len(start_word.written) == len(start_word.folded)
        start = start_word.start + (offset if same_length else 0)
        cut = len(end_word.written) == len(end_word.folded)
        return Span(start, end_word.start + end_offset + 1 if cut else end_word.end, needle.category)

    def _mistyped(self, words: list[Word]) -> Iterator[Span]:
        for word in words:
            letters = word.folded
            if len(letters) not in self._near_lengths or not letters[-1].isdigit():
                continue
            for needle in self._near:
                # one error leaves the beginning or the end as it was
                known = needle.letters
                if (letters[:3] == known[:3] or letters[-3:] == known[-3:]) and one_error_apart(letters, known):
                    yield Span(word.start, word.end, needle.category)
                    break


def _starts(words: list[Word]) -> list[int]:
    """Where each word begins among the letters and digits of the text."""
    return [0, *accumulate(len(word.folded) for word in words[:-1])]


def _needles(category: Category, value: str) -> Iterator[_Needle]:
    letters = _letters(value)
    if category in (Category.PHONE, Category.FAX):
        yield from _phone(category, value)
    elif category in NUMBERS:
        yield from _number(category, letters)
    elif category is Category.ADDRESS:
        yield from _address(value)
    elif category is Category.HOSPITAL:
        yield from _hospital(value)
    elif category in (Category.EMAIL, Category.URL) and len(letters) >= _SHORTEST:
        yield _Needle(_letters(re.sub(r"^https?://(?:www\.)?", "", value)), category)


def _letters(value: str) -> str:
    return "".join(letter for letter in fold(value) if letter.isalnum())


def _number(category: Category, letters: str) -> Iterator[_Needle]:
    """The number itself, without the letters in front, and without leading zeros."""
    digits = re.sub(r"^\D+|\D+$", "", letters)
    if len(letters) >= _SHORTEST and any(letter.isdigit() for letter in letters):
        yield _Needle(letters, category, mistyped=len(letters) >= _SHORTEST_MISTYPED)
    for shorter in (digits, digits.lstrip("0")):
        if len(shorter) >= max(_SHORTEST + 1, len(letters) // 2) and shorter.isdigit():
            yield _Needle(shorter, category, mistyped=len(shorter) >= _SHORTEST_MISTYPED)


def _phone(category: Category, value: str) -> Iterator[_Needle]:
    digits = re.sub(r"\D", "", value)
    if len(digits) >= 10:
        yield _Needle(digits, category)
        yield _Needle(digits[-10:], category)
    if len(digits) >= 7:
        yield _Needle(digits[-7:], category)
    elif len(digits) >= _SHORTEST:
        yield _Needle(digits, category)


def _address(value: str) -> Iterator[_Needle]:
    """The whole, each line of it, and the town, the street and the postal code alone."""
    whole = _letters(value)
    if len(whole) >= 8:
        yield _Needle(whole, Category.ADDRESS)
    for line in re.split(r"[,\n;^]", value):
        words = [fold(word) for word in re.findall(r"[^\W_]+", line)]
        letters = "".join(words)
        numbers = [word for word in words if word.isdigit()]
        telling = [word for word in words if not word.isdigit() and not is_ordinary(word)]
        if len(letters) >= 5 and (telling or (numbers and len(words) > 1)):
            yield _Needle(letters, Category.ADDRESS)
        if words and words[-1] in _STREET_ENDINGS:
            yield _Needle("".join((*words[:-1], _STREET_ENDINGS[words[-1]])), Category.ADDRESS)
        if words and words[0].isdigit() and len(words) > 2:
            yield _Needle("".join(words[1:]), Category.ADDRESS)
        for number in numbers:
            if len(number) >= 5:
                yield _Needle(number, Category.ADDRESS)


def _hospital(value: str) -> Iterator[_Needle]:
    """The whole name, the words of it that no other hospital has, and the short name."""
    words = re.findall(r"[^\W_]+", value)
    letters = _letters(value)
    short = len(words) == 1 and 3 <= len(letters) <= 4 and value.isupper() and letters not in ABBREVIATIONS
    if short or (len(letters) >= 5 and not is_ordinary(letters)):
        yield _Needle(letters, Category.HOSPITAL)
    for word in words:
        plain = fold(word)
        if len(plain) >= 5 and plain not in _GENERIC and not is_ordinary(plain):
            yield _Needle(plain, Category.HOSPITAL)
