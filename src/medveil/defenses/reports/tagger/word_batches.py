"""Distinct words as numbers, ready for the network."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from medveil.defenses.reports.tagger.network import WordBatch
from medveil.defenses.reports.tagger.word_features import COUNTS, Vocabulary, letter_groups, shape


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


def _flat(lists: list[list[int]]) -> torch.Tensor:
    return torch.tensor([number for numbers in lists for number in numbers], dtype=torch.int64)


def _starts(lists: list[list[int]]) -> torch.Tensor:
    return torch.from_numpy(np.cumsum([0, *(len(numbers) for numbers in lists)])[:-1].astype(np.int64))
