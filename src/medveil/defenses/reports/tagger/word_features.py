"""What the network is given of a word: pieces of a vocabulary, groups of letters, and its shape."""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

PIECES = 6  # at most, of one word
_LONGEST = 40  # letters
_SIZES = (3, 4)  # letters of a group
_LENGTHS = 14
_KINDS = 9
SHAPES = _KINDS * _LENGTHS
COUNTS = 4  # how many pieces a word falls into: one, two, three, more
UNKNOWN = "[UNK]"


@dataclass(frozen=True)
class WordBatch:
    """Distinct words: their pieces and letter groups one after another, each word's first place, shapes and counts."""

    pieces: Tensor
    piece_starts: Tensor
    groups: Tensor
    group_starts: Tensor
    shapes: Tensor
    counts: Tensor

    def to(self, device: str | torch.device) -> WordBatch:
        parts = (self.pieces, self.piece_starts, self.groups, self.group_starts, self.shapes, self.counts)
        return WordBatch(*(part.to(device) for part in parts))


class Vocabulary:
    """Word pieces as BERT has them: the longest that fits comes first, later ones begin with ##."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self.pieces = tuple(pieces)
        self._place = {piece: place for place, piece in enumerate(self.pieces)}
        self._unknown = self._place[UNKNOWN]

    def __call__(self, word: str) -> list[int]:
        plain = plain_word(word)
        whole = self._place.get(plain)
        if whole is not None:
            return [whole]
        found: list[int] = []
        start, mark = 0, ""
        while start < len(plain):
            end = len(plain)
            while end > start and mark + plain[start:end] not in self._place:
                end -= 1
            if end == start:
                return [self._unknown]
            found.append(self._place[mark + plain[start:end]])
            start, mark = end, "##"
        return (found if len(found) <= PIECES else [*found[: PIECES - 1], found[-1]]) or [self._unknown]


def plain_word(word: str) -> str:
    """Small letters without accents; of a run of signs the first."""
    if not word[0].isalnum():
        return word[0]
    word = word[:_LONGEST].lower()
    if word.isascii():
        return word
    spread = unicodedata.normalize("NFD", word)
    return "".join(letter for letter in spread if not unicodedata.combining(letter)) or word


def letter_groups(word: str, buckets: int) -> list[int]:
    """The buckets of a word's letter groups, its ends marked."""
    plain = f"<{plain_word(word)}>"
    groups = {plain, *(plain[at : at + size] for size in _SIZES for at in range(max(len(plain) - size + 1, 1)))}
    return sorted([_hashed(group) % buckets for group in groups])


@lru_cache(maxsize=1 << 15)
def _hashed(group: str) -> int:
    """Remembered: words of a language share most of their groups."""
    return zlib.crc32(group.encode("utf-8", "surrogatepass"))


def shape(word: str) -> int:
    """Its kind of writing and its length."""
    first = word[0]
    if first.isdigit():
        kind = 0
    elif not first.isalpha():
        kind = 1
    elif word.islower():
        kind = 2
    elif len(word) == 1:
        kind = 3
    elif word.isupper():
        kind = 4
    elif first.isupper() and word[1:].islower():
        kind = 5
    elif first.isupper():
        kind = 6
    else:
        kind = 7 if any(letter.isupper() for letter in word) else 8
    return kind * _LENGTHS + min(len(word), _LENGTHS) - 1


def word_batch(words: Sequence[str], vocabulary: Vocabulary, buckets: int) -> WordBatch:
    pieces = [vocabulary(word) for word in words]
    groups = [letter_groups(word, buckets) for word in words]
    return WordBatch(
        _flat(pieces),
        _starts(pieces),
        _flat(groups),
        _starts(groups),
        torch.tensor([shape(word) for word in words], dtype=torch.int64),
        torch.tensor([min(len(own), COUNTS) - 1 for own in pieces], dtype=torch.int64),
    )


def _flat(lists: list[list[int]]) -> Tensor:
    return torch.tensor([number for numbers in lists for number in numbers], dtype=torch.int64)


def _starts(lists: list[list[int]]) -> Tensor:
    return torch.from_numpy(np.cumsum([0, *(len(numbers) for numbers in lists)])[:-1].astype(np.int64))
