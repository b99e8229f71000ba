"""A question as numbers: its words, its pairs of neighbouring words and its letter groups, hashed and weighted.

Rare ones count more. Letters let a misspelt or inflected word still mean what it means.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

BUCKETS = 4096
LONGEST = 2_000  # letters of a question that are read
_WORD = re.compile(r"[a-z]+|\d+(?:\.\d+)?")
_GROUPS = (3, 4, 5)  # letters
Floats = NDArray[np.float32]


def pieces(text: str) -> tuple[Counter[int], Counter[int]]:
    """The buckets of the words and pairs, and those of the letter groups."""
    words = _WORD.findall(text.lower()[:LONGEST])
    pairs = (f"{one} {other}" for one, other in zip(("<", *words), (*words, ">"), strict=True) if words)
    marked = [f"<{word}>" for word in words]
    groups = (word[at : at + size] for word in marked for size in _GROUPS for at in range(len(word) - size + 1))
    return _hashed("w", (*words, *pairs)), _hashed("g", groups)


def _hashed(kind: str, parts: Iterable[str]) -> Counter[int]:
    return Counter(zlib.crc32(f"{kind} {part}".encode()) % BUCKETS for part in parts)


def rarity(texts: Sequence[str]) -> Floats:
    """How much each bucket counts: the more, the fewer of these questions have it."""
    having = np.zeros(BUCKETS)
    for text in texts:
        having[list({bucket for part in pieces(text) for bucket in part})] += 1
    return np.asarray(1 + np.log((1 + len(texts)) / (1 + having)), np.float32)


def numbered(texts: Sequence[str], weights: Floats) -> Floats:
    """Texts × buckets; words and letters count half each."""
    found = np.zeros((len(texts), BUCKETS), np.float32)
    for row, text in enumerate(texts):
        for part in pieces(text):
            buckets = np.fromiter(part, np.intp, len(part))
            values = (1 + np.log(np.fromiter(part.values(), np.float32, len(part)))) * weights[buckets]
            length = float(np.linalg.norm(values))
            if length:
                np.add.at(found[row], buckets, values * np.float32(0.5**0.5 / length))
    return found
