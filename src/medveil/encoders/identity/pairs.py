"""Offline pairs: all pairs of one patient, and as many of two patients."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from medveil.errors import NotMeasurable

Codes = NDArray[np.int64]


def positive_pairs(codes: Codes) -> Codes:
    """Every two images of one patient, once: n × 2 row numbers."""
    pairs = []
    for code in np.unique(codes):
        own = np.flatnonzero(codes == code)
        first, second = np.triu_indices(len(own), 1)
        pairs.append(np.stack([own[first], own[second]], 1))
    found = np.concatenate(pairs) if pairs else np.zeros((0, 2), dtype=np.int64)
    if not len(found) or len(np.unique(codes)) < 2:
        raise NotMeasurable("pairs need at least two patients and one patient with two images")
    return found


def negative_pairs(codes: Codes, count: int, rng: np.random.Generator) -> Codes:
    """Pairs of two patients, drawn evenly over images: count × 2 row numbers."""
    found = np.zeros((0, 2), dtype=np.int64)
    while len(found) < count:
        drawn = rng.integers(len(codes), size=(2 * count, 2))
        found = np.concatenate([found, drawn[codes[drawn[:, 0]] != codes[drawn[:, 1]]]])
    return found[:count]


class PairBatches:
    """Balanced batches of pairs; the negative half stays the same or is drawn anew each epoch."""

    def __init__(self, codes: Codes, *, batch: int, redrawn: bool, seed: int) -> None:
        self.codes = codes
        self.positives = positive_pairs(codes)
        self.batch = batch
        self.fixed = (
            None if redrawn else negative_pairs(codes, len(self.positives), np.random.default_rng([seed, 0xF1]))
        )

    def __len__(self) -> int:
        return -(-2 * len(self.positives) // self.batch)

    def epoch(self, rng: np.random.Generator) -> Iterator[tuple[Codes, NDArray[np.float32]]]:
        """Pairs of row numbers and whether both are of one patient."""
        negatives = negative_pairs(self.codes, len(self.positives), rng) if self.fixed is None else self.fixed
        pairs = np.concatenate([self.positives, negatives])
        same = np.repeat(np.array([1, 0], dtype=np.float32), len(self.positives))
        order = rng.permutation(len(pairs))
        for start in range(0, len(pairs), self.batch):
            rows = order[start : start + self.batch]
            yield pairs[rows], same[rows]
