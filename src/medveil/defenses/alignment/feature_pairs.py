"""Pairs of cached features, and what must be true of them before anything is promised."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from medveil.defenses.alignment.heads import ROWS, Features, Heads
from medveil.defenses.alignment.sampling import Rows
from medveil.errors import InputError


@dataclass(frozen=True)
class Pairs:
    """Cached features: row i of both is pair i."""

    images: Features
    reports: Features

    def __len__(self) -> int:
        return len(self.images)

    def take(self, rows: Rows) -> tuple[Tensor, Tensor]:
        images, reports = (np.ascontiguousarray(side[rows], dtype=np.float32) for side in (self.images, self.reports))
        return torch.from_numpy(images), torch.from_numpy(reports)


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
    """Public pairs, none of which is one of those to protect: with such a pair the guarantee would be void.

    Images decide: two people can have the same normal report.
    """
    public = checked_pairs(images, reports, heads, "the public")
    known = {row.tobytes() for block in _blocks(images) for row in block}
    if any(row.tobytes() in known for block in _blocks(private.images) for row in block):
        raise InputError("some public pairs are among the pairs to protect; give pairs of other people or of phantoms")
    return public


def patient_codes(patients: Sequence[Any] | NDArray[Any], pairs: int) -> NDArray[np.intp]:
    """Patients as numbers; a pair whose patient is not known cannot be protected with its patient."""
    import pandas as pd

    codes, _ = pd.factorize(np.asarray(patients))
    if len(codes) != pairs or (codes < 0).any():
        raise InputError("every pair needs its patient; give as many patients as features, none of them missing")
    return np.asarray(codes, dtype=np.intp)


def _blocks(features: Features) -> Iterator[NDArray[np.float32]]:
    for start in range(0, len(features), ROWS):
        yield np.ascontiguousarray(features[start : start + ROWS], dtype=np.float32)
