"""Reports as words, and the closed vocabulary that drafts are written in.

A word that few patients' reports have is never drafted: it may be a name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_WORDS = 90  # of a report; what comes after is not drafted and not compared
FEWEST = 3  # patients whose reports have a word
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*|\.(?!\w)")
_HEADING = re.compile(r"^\W*(findings?|report|impression|conclusion|opinion)\b\s*:?", re.IGNORECASE | re.MULTILINE)
END, START = 0, 1  # numbers of no word
_FIRST = 2


def words_of(report: str) -> list[str]:
    """Lower-case words and full stops from the findings on, or from the beginning where nothing says so; no numbers."""
    heading = _HEADING.search(report)
    told = report[heading.end() :] if heading else report
    return _WORD.findall(told.lower())[:MOST_WORDS]


@dataclass(frozen=True)
class Vocabulary:
    words: tuple[str, ...]

    @classmethod
    def of(cls, reports: Sequence[Sequence[str]], patients: NDArray[Any]) -> Vocabulary:
        """The words of enough patients' reports, the commonest first."""
        pairs = {(word, who) for report, who in zip(reports, patients.tolist(), strict=True) for word in report}
        common = Counter(word for word, _ in pairs)
        return cls(tuple(sorted((word for word, n in common.items() if n >= FEWEST), key=lambda w: (-common[w], w))))

    def __len__(self) -> int:
        return len(self.words) + _FIRST

    def numbers(self, reports: Sequence[Sequence[str]]) -> NDArray[np.int64]:
        """Reports × longest, ended and filled up by END; unknown words are left out."""
        known = {word: number for number, word in enumerate(self.words, _FIRST)}
        rows = [[known[word] for word in report if word in known] for report in reports]
        filled = np.full((len(rows), max(map(len, rows), default=0) + 1), END, np.int64)
        for row, written in zip(filled, rows, strict=True):
            row[: len(written)] = written
        return filled

    def text(self, numbers: Sequence[int]) -> list[str]:
        """The words up to the first END."""
        written = []
        for number in numbers:
            if number == END:
                break
            if number >= _FIRST:
                written.append(self.words[number - _FIRST])
        return written
