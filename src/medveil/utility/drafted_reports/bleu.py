"""BLEU (Papineni et al. 2002): how many runs of one to four words a draft shares with the true report.

Counts are kept for each report, so that a corpus can be redrawn by patient without counting again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LONGEST = 4
Floats = NDArray[np.float64]
Words = Sequence[str]


def counts(drafts: Sequence[Words], reports: Sequence[Words]) -> Floats:
    """Reports × 10: shared runs of each length, runs of each length in the draft, words of the draft and the report."""
    return np.array([_counts(draft, report) for draft, report in zip(drafts, reports, strict=True)], np.float64)


def _counts(draft: Words, report: Words) -> list[int]:
    shared, written = [], []
    for length in range(1, LONGEST + 1):
        runs, true = _runs(draft, length), _runs(report, length)
        shared.append(sum((runs & true).values()))  # no more often than the report has it
        written.append(max(0, len(draft) - length + 1))
    return [*shared, *written, len(draft), len(report)]


def _runs(words: Words, length: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[start : start + length]) for start in range(len(words) - length + 1))


def bleu(summed: Floats) -> Floats:
    """BLEU-1 to BLEU-4 (last axis) of counts that were added up over a corpus; zero where no run is shared."""
    shared, written = summed[..., :LONGEST], summed[..., LONGEST : 2 * LONGEST]
    drafted, true = summed[..., -2], summed[..., -1]
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.log(np.where(written > 0, shared / np.maximum(written, 1), 0.0))
        means = np.cumsum(precision, axis=-1) / np.arange(1, LONGEST + 1)
        brevity = np.where(drafted < true, 1 - true / drafted, 0.0)
    found: Floats = np.where(drafted[..., None] > 0, np.exp(means + brevity[..., None]), 0.0)
    return np.nan_to_num(found)
