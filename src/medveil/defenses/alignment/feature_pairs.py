"""Pairs of cached features, and what must be true of them before anything is promised."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from medveil.defenses.alignment.heads import ROWS, Features, Heads, bounded
from medveil.defenses.alignment.sampling import Rows
from medveil.errors import InputError

SAME = 1e-3  # of an image's features: what encoding the same picture again may change
CLOSE = 1e-5  # of the cosine between such features, in single precision


@dataclass(frozen=True)
class Pairs:
    """Cached features: row i of both is pair i."""

    images: Features
    reports: Features

    def __len__(self) -> int:
        return len(self.images)

    def take(self, rows: Rows) -> tuple[Tensor, Tensor]:
        images, reports = (torch.from_numpy(bounded(side[rows])) for side in (self.images, self.reports))
        return images, reports


def checked_pairs(images: Features, reports: Features, heads: Heads, whose: str = "the") -> Pairs:
    """Features that fit the heads, row by row, and are numbers."""
    if not len(images) or len(images) != len(reports):
        raise InputError(f"{whose} image and report features must have the same number of rows, at least one")
    for features, head, name in ((images, heads.image, "image"), (reports, heads.report, "report")):
        inputs = head.shape.inputs
        if features.ndim != 2 or features.shape[1] != inputs:
            raise InputError(f"{whose} {name} features must have {inputs} columns, as the {name} head expects")
        if not all(np.isfinite(block).all() for block in _blocks(features)):
            raise InputError(f"{whose} {name} features hold values that are not numbers; encode the {name}s again")
    return Pairs(images, reports)


def checked_public(images: Features, reports: Features, heads: Heads, private: Pairs) -> Pairs:
    """Public pairs, none of whose images is one of those to protect: with such a pair the guarantee would be void.

    Images decide: two people can have the same normal report.
    """
    public = checked_pairs(images, reports, heads, "the public")
    theirs = [(block, *_directions(block)) for block in _blocks(images)]
    for ours in _blocks(private.images):
        directions, lengths = _directions(ours)
        for block, others, other_lengths in theirs:
            for a, b in np.argwhere(directions @ others.T >= 1 - CLOSE):
                apart = np.linalg.norm(ours[a].astype(np.float64) - block[b])
                if apart <= SAME * max(lengths[a], other_lengths[b]):
                    raise InputError(
                        "some public pairs are among the pairs to protect; give pairs of other people or of phantoms"
                    )
    return public


def _directions(rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    return (rows / np.maximum(lengths, np.finfo(np.float32).tiny)[:, None]).astype(np.float32), lengths


def patient_codes(patients: Sequence[Any] | NDArray[Any], pairs: int) -> NDArray[np.intp]:
    """Patients as numbers; a pair whose patient is not known cannot be protected with its patient."""
    import pandas as pd

    codes, _ = pd.factorize(np.asarray(patients))
    if len(codes) != pairs or (codes < 0).any():
        raise InputError("every pair needs its patient; give as many patients as features, none of them missing")
    return np.asarray(codes, dtype=np.intp)


def _blocks(features: Features) -> Iterator[NDArray[np.float32]]:
    for start in range(0, len(features), ROWS):
        with np.errstate(over="ignore"):  # too large for single precision: infinite, and refused
            block = np.ascontiguousarray(features[start : start + ROWS], dtype=np.float32)
        yield block
