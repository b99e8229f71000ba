"""A text as tokens: runs of letters, runs of digits, signs; and the space before each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_TOKEN = re.compile(r"(\s*)([^\W\d_]+|\d+|([^\w\s]|_)\3*)")
NOTHING, SPACE, WIDE, LINE, BLANK_LINE, START = range(6)
GAPS = 6
_KNOWN_GAPS = {"": NOTHING, " ": SPACE, "\n": LINE, "\n\n": BLANK_LINE, "  ": WIDE}


@dataclass(frozen=True)
class Tokens:
    words: list[str]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    gaps: NDArray[np.int64]  # the kind of space before each token

    def __len__(self) -> int:
        return len(self.words)

    def with_gaps(self) -> Iterator[tuple[str, int]]:
        """Each word with the kind of space before it."""
        return zip(self.words, self.gaps.tolist(), strict=True)


def tokenise(text: str) -> Tokens:
    """Every character that is no space belongs to one token."""
    pairs = [(gap, word) for gap, word, _ in _TOKEN.findall(text)]
    words = [word for _, word in pairs]
    spaces = np.fromiter((len(gap) for gap, _ in pairs), np.int64, len(pairs))
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    ends = np.cumsum(spaces + lengths)
    gaps = np.fromiter((_KNOWN_GAPS.get(gap, -1) for gap, _ in pairs), np.int64, len(pairs))
    for place in np.flatnonzero(gaps < 0):
        gaps[place] = _gap(pairs[place][0])
    if len(gaps):
        gaps[0] = START
    return Tokens(words, ends - lengths, ends, gaps)


def _gap(space: str) -> int:
    lines = space.count("\n") or space.count("\r")
    return BLANK_LINE if lines > 1 else LINE if lines else WIDE
