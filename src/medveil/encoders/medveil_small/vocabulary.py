"""From a report to words, and from words to numbers: a vocabulary, and hashed letter groups for what it lacks.

A word outside the vocabulary still means something by its letters, so reports of a hospital never seen do not all
look alike. Long numbers (record numbers, telephones, years) are one and the same word: they identify people, and
nothing in an image answers to them.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

LONGEST = 384  # words of a report that are read
LONG_NUMBER = "<number>"
_GROUPS = (3, 4, 5)  # letters
_LONGEST_WORD = 40  # letters
_WORD = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?|[.?]")
_SHORT_NUMBER = re.compile(r"\d{1,3}(?:\.\d)?")


def split_words(text: str) -> list[str]:
    """Words in lower case without accents, short numbers, full stops and question marks, in order."""
    plain = text.casefold() if text.isascii() else _without_accents(text)
    return [_plain_number(word) for word in _WORD.findall(plain)]


def _without_accents(text: str) -> str:
    # twice, for some signs unfold into capitals and some capitals into accents
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def _plain_number(word: str) -> str:
    if not word[0].isdigit():
        return word[:_LONGEST_WORD]
    return word if _SHORT_NUMBER.fullmatch(word) else LONG_NUMBER


def letter_groups(word: str, buckets: int) -> list[int]:
    """The buckets of a word's letter groups, its ends marked."""
    marked = f"<{word}>"
    groups = {marked[start : start + size] for size in _GROUPS for start in range(max(len(marked) - size + 1, 1))}
    return sorted(zlib.crc32(group.encode("utf-8", "surrogatepass")) % buckets for group in groups)


@dataclass(frozen=True)
class Words:
    """Reports as numbers. Each distinct word is described once; a report is a row of indices of them, from 1 on."""

    known: Tensor  # distinct words: place in the vocabulary from 1 on, 0 outside it
    groups: Tensor  # buckets of all distinct words, one after another
    starts: Tensor  # where each distinct word's buckets start
    index: Tensor  # reports × words, 0 where the report is over

    def to(self, device: str | torch.device) -> Words:
        return Words(*(part.to(device) for part in (self.known, self.groups, self.starts, self.index)))


class Tokenizer:
    """Reports to `Words`, by a vocabulary and a number of buckets for letter groups."""

    def __init__(self, vocabulary: Sequence[str], buckets: int) -> None:
        self.vocabulary = tuple(vocabulary)
        self.buckets = buckets
        self._place = {word: number for number, word in enumerate(self.vocabulary, 1)}

    def __call__(self, texts: Iterable[str]) -> Words:
        return self.number([split_words(text) for text in texts])

    def number(self, reports: Sequence[Sequence[str]]) -> Words:
        """Reports that are words already."""
        reports = [report[:LONGEST] for report in reports]
        distinct = {word: number for number, word in enumerate(dict.fromkeys(w for r in reports for w in r), 1)}
        groups = [letter_groups(word, self.buckets) for word in distinct]
        starts = np.cumsum([0, *(len(group) for group in groups)])[:-1]
        index = np.zeros((len(reports), max([1, *(len(report) for report in reports)])), np.int64)
        for row, report in enumerate(reports):
            index[row, : len(report)] = [distinct[word] for word in report]
        return Words(
            torch.tensor([self._place.get(word, 0) for word in distinct], dtype=torch.int64),
            torch.tensor([bucket for group in groups for bucket in group], dtype=torch.int64),
            torch.from_numpy(starts.astype(np.int64)),
            torch.from_numpy(index),
        )
