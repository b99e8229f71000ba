"""From a report to numbers without a vocabulary: a word is the bucket its letters hash to.

A vocabulary would have to be made of somebody's reports, and so would tell what is written in them. Long numbers are
one word, as everywhere in medveil: they identify people, and nothing in a film answers to them.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from medveil.encoders.medveil_small.vocabulary import split_words

NOTHING, WHOLE = 0, 1  # padding, and the place whose vector stands for the whole report
FIRST = 2


def hashed(texts: Sequence[str], *, words: int, buckets: int) -> NDArray[np.int32]:
    """Reports × places; a report without a word is all padding. One that is too long is read from its end: there it
    says what is seen, and at its head who and where."""
    numbers = np.zeros((len(texts), words), np.int32)
    for row, text in enumerate(texts):
        every = split_words(text)
        found = [bucket(word, buckets) for word in every[max(0, len(every) - words + 1) :]]
        if found:
            numbers[row, : len(found) + 1] = [WHOLE, *found]
    return numbers


def bucket(word: str, buckets: int) -> int:
    return FIRST + zlib.crc32(word.encode("utf-8", "surrogatepass")) % (buckets - FIRST)
