"""Which images a step sees: some patients with several images of each, or pairs listed beforehand."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from medveil.errors import NotMeasurable

Codes = NDArray[np.int64]


class PatientBatches:
    """Every batch holds `patients` patients with `images` images each.

    A patient is drawn in proportion to the square root of the number of images: long histories teach more, but
    must not crowd out the rest. Where a patient has fewer images than asked for, some come twice and differ by
    augmentation alone; patients with a single image take part in that way too, unless `singles` is off. Without
    augmentation a film that comes twice teaches nothing: with `repeats` off, more patients fill the batch instead.
    """

    def __init__(self, codes: Codes, *, patients: int, images: int, singles: bool, repeats: bool = True) -> None:
        rows = rows_by_patient(codes)
        self.rows = [own for own in rows if singles or len(own) > 1]
        if not self.rows:
            raise NotMeasurable("no patient of the split 'train' has two images, so there is nobody to recognise")
        self.repeats = repeats
        self.codes = codes
        self.patients = min(patients, len(self.rows))
        self.images = images
        shares = np.sqrt([len(own) for own in self.rows])
        self.shares = shares / shares.sum()
        self.count = max(1, sum(len(own) for own in self.rows) // (self.patients * images))

    def __len__(self) -> int:
        return self.count

    def epoch(self, rng: np.random.Generator) -> Iterator[Codes]:
        """Row numbers, patient after patient, for as many batches as there are images to see once."""
        wanted = self.patients * self.images
        drawable = self.patients if self.repeats else min(len(self.rows), wanted)
        for _ in range(self.count):
            drawn = rng.choice(len(self.rows), drawable, replace=False, p=self.shares)
            yield np.concatenate([self._some(self.rows[patient], rng) for patient in drawn])[:wanted]

    def _some(self, own: Codes, rng: np.random.Generator) -> Codes:
        rounds = -(-self.images // len(own)) if self.repeats else 1
        return np.concatenate([rng.permutation(own) for _ in range(rounds)])[: self.images]


def rows_by_patient(codes: Codes) -> list[Codes]:
    """The rows of every patient, in the order of the codes."""
    order = np.argsort(codes, kind="stable")
    _, starts = np.unique(codes[order], return_index=True)
    return np.split(order, starts[1:])


def positive_pairs(codes: Codes) -> Codes:
    """Every two images of one patient, once: n × 2 row numbers."""
    pairs = []
    for own in rows_by_patient(codes):
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
    """Balanced batches of pairs; the negative half stays the same or is drawn anew each epoch.

    `most` pairs of both kinds together are used, where there are so many; the same ones in every epoch.
    """

    def __init__(self, codes: Codes, *, batch: int, redrawn: bool, seed: int, most: int | None = None) -> None:
        self.codes = codes
        self.positives = positive_pairs(codes)
        if most is not None and most // 2 < len(self.positives):
            kept = np.random.default_rng([seed, 0xF0]).choice(len(self.positives), most // 2, replace=False)
            self.positives = self.positives[np.sort(kept)]
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
