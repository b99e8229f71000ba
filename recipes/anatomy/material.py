"""The films that the networks of this folder learn from, packed by `pack`, with what is known of each.

Real films are those of NIH ChestX-ray14's training patients, drawn ones those of a phantom hospital. Every eighth
patient of either is set aside to choose by; patients of 'val' are never read here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recipes.films import unpacked
from recipes.findings.labels import to_choose_by

SEEN = ("Emphysema", "Fibrosis")  # findings of NIH's that the cohort's labels do not have
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Material:
    """Films n × 256 × 256; labels n × 16 (the cohort's 14 and `SEEN`; missing is NaN); whether it is drawn, taken from
    the front (AP), and set aside; whose it is."""

    films: NDArray[np.uint8]
    labels: Floats
    drawn: NDArray[np.bool_]
    front: Floats
    aside: NDArray[np.bool_]
    patients: NDArray[np.int64]

    def of(self, chosen: NDArray[np.bool_]) -> Material:
        parts = (self.films, self.labels, self.drawn, self.front, self.aside, self.patients)
        return Material(*(part[chosen] for part in parts))


def read_material(folder: Path, *, split: str = "train", most: int | None = None) -> Material:
    """`most` takes the first so many of each kind, to try a recipe out."""
    return _joined([_real(folder / "nih.npz", split, most), _drawn(folder / "phantoms.npz", split, most)])


def _real(path: Path, split: str, most: int | None) -> Material:
    stored = np.load(path)
    rows = np.flatnonzero(stored["split"] == split)[:most]
    names = list(stored["finding_names"])
    seen = np.stack([stored["findings"][rows, names.index(name)] for name in SEEN], 1)
    people = stored["patients"][rows]
    return Material(
        unpacked(*_only(stored["bytes"], stored["ends"], rows)),
        np.concatenate([stored["labels"][rows], seen.astype(np.float32)], 1),
        np.zeros(len(rows), bool),
        (stored["view"][rows] == "AP").astype(np.float32),
        to_choose_by(people),
        np.unique(people, return_inverse=True)[1].astype(np.int64),
    )


def _drawn(path: Path, split: str, most: int | None) -> Material:
    stored = np.load(path)
    rows = np.flatnonzero(stored["split"] == split)[:most]
    people = stored["patients"][rows].astype(np.int64)
    nothing = np.full((len(rows), len(SEEN)), np.nan, np.float32)
    return Material(
        unpacked(*_only(stored["bytes"], stored["ends"], rows)),
        np.concatenate([stored["labels"][rows], nothing], 1),
        np.ones(len(rows), bool),
        (stored["view"][rows] == "AP").astype(np.float32),
        people % 16 == 1,  # of the odd and even numbers that are not every eighth
        people + 1_000_000,
    )


def _only(
    content: NDArray[np.uint8], ends: NDArray[np.int64], rows: NDArray[np.intp]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    starts = np.concatenate([[0], ends[:-1]])
    pieces = [content[starts[row] : ends[row]] for row in rows]
    return np.concatenate(pieces), np.cumsum([len(piece) for piece in pieces])


def _joined(kinds: list[Material]) -> Material:
    columns = zip(*((k.films, k.labels, k.drawn, k.front, k.aside, k.patients) for k in kinds), strict=True)
    return Material(*(np.concatenate(column) for column in columns))
