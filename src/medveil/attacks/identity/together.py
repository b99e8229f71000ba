"""All films at hand taken together: whoever holds a folder holds more than its pairs, and needs no names for it.

What all films of a hospital share tells nobody apart, and directions in which they all differ (exposure, position,
the style of a machine) drown the few that do. So vectors are seen from their middle, and wide directions count less.
Then every film is moved towards its two nearest, most of all to those that are much alike: two films of one person that
are hardly alike may both be alike to a third.

No patient's name is used: where films tell nothing, pairs of one person gain no more by this than pairs of two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.identity.pairs import Side
from medveil.stats.factorisation import eigenvectors
from medveil.stats.search import nearest

Singles = NDArray[np.float32]
Floats = NDArray[np.float64]

SHRINKAGE = 0.9  # how far all directions are taken to be alike: few films know their own covariance badly
NEIGHBOURS = 2  # more would lead films of those who came twice to strangers
POWER = 2  # of the similarity, by which a neighbour counts
_NONE = 1e-12  # of a squared length: films that all look the same
_ROWS = 65_536  # at a time


def together(ours: Side, theirs: Side | None) -> tuple[Side, Side | None] | None:
    """Both sides as somebody sees them who has looked at all of their films; None where all films are the same."""
    everybody = ours.vectors if theirs is None else np.concatenate([ours.vectors, theirs.vectors])
    even = _evened(everybody)
    if even is None:
        return None
    moved = _towards_neighbours(even)
    if theirs is None:
        return replace(ours, vectors=moved), None
    return replace(ours, vectors=moved[: len(ours)]), replace(theirs, vectors=moved[len(ours) :])


def _evened(vectors: Singles) -> Singles | None:
    """Seen from the middle, with wide directions narrowed."""
    centre = vectors.mean(axis=0, dtype=np.float64)
    width = vectors.shape[1]
    spread = np.zeros((width, width))
    for rows in _parts(len(vectors)):
        away = vectors[rows] - centre
        spread += away.T @ away / len(vectors)
    mean = float(np.trace(spread)) / width
    if mean * width <= _NONE:
        return None
    values, directions = eigenvectors((1 - SHRINKAGE) * spread + SHRINKAGE * mean * np.eye(width))
    narrow = directions / np.sqrt(values)
    out = np.empty_like(vectors)
    for rows in _parts(len(vectors)):
        out[rows] = _unit((vectors[rows] - centre) @ narrow)
    return out


def _towards_neighbours(vectors: Singles) -> Singles:
    count = min(NEIGHBOURS, len(vectors) - 1)
    alike, neighbours = nearest(vectors, vectors, count, exclude=np.arange(len(vectors)))
    weights = np.maximum(alike, 0) ** POWER
    out = np.empty_like(vectors)
    for rows in _parts(len(vectors)):
        moved = vectors[rows].astype(np.float64)
        for place in range(count):
            moved += weights[rows, place, None] * vectors[neighbours[rows, place]]
        out[rows] = _unit(moved)
    return out


def _unit(vectors: Floats) -> Singles:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-30), dtype=np.float32)


def _parts(count: int) -> Iterator[slice]:
    return (slice(start, min(start + _ROWS, count)) for start in range(0, count, _ROWS))
