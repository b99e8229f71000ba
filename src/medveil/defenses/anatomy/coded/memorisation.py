"""Does a generator repeat films it has learned from? Nearest neighbours of what it draws, against those of real films.

Drawn films may be as near to the training films as films of other people are, and no nearer: in the space of a network
that recognises people, and in pixels.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter

from medveil.errors import InputError

TAIL = 0.99  # of the held-out films lie farther from the training films than this
MOST_BEYOND = 0.03  # of the drawn films may lie nearer than that
_SIDE, _AROUND = 64, 9  # pixels at which pictures are compared, and of the surroundings that are taken off
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Nearness:
    """Similarity (cosine) to the nearest training film: its median over drawn and over held-out films, and the share of
    the drawn films that lie nearer than all but the nearest hundredth of the held-out ones."""

    drawn: float
    held_out: float
    beyond: float

    @property
    def memorised(self) -> bool:
        return not (self.drawn <= self.held_out and self.beyond <= MOST_BEYOND)


def nearness(drawn: Floats, held_out: Floats, training: Floats) -> Nearness:
    """Of vectors of unit length, a film a row."""
    ours, theirs = (_nearest(vectors, training) for vectors in (drawn, held_out))
    limit = np.quantile(theirs, TAIL)
    return Nearness(float(np.median(ours)), float(np.median(theirs)), float((ours > limit).mean()))


def _nearest(vectors: Floats, training: Floats) -> Floats:
    found = [(vectors[start : start + 256] @ training.T).max(1) for start in range(0, len(vectors), 256)]
    return np.concatenate(found)


def as_vectors(films: NDArray[np.uint8]) -> Floats:
    """Films as small pictures of their edges, of unit length: every film of a chest is like every other, but ribs and
    vessels lie one over another only in copies."""
    side = films.shape[1] // _SIDE
    small = films.reshape(len(films), _SIDE, side, _SIDE, side).mean((2, 4), dtype=np.float32)
    edges = (small - uniform_filter(small, (0, _AROUND, _AROUND))).reshape(len(films), -1)
    return np.asarray(edges / np.maximum(np.linalg.norm(edges, axis=1, keepdims=True), 1e-6), np.float32)


def as_record(found: dict[str, Nearness]) -> dict[str, Any]:
    """For the card of a generator: each space by name, and the outcome."""
    return {
        "spaces": {space: asdict(one) for space, one in found.items()},
        "memorised": any(one.memorised for one in found.values()),
    }


def refuse_memorised(card: dict[str, Any], where: object) -> None:
    """Raise unless the card says that the generator was audited and repeats nothing."""
    record = card.get("memorisation")
    if not isinstance(record, dict) or "memorised" not in record:
        raise InputError(f"{where} was never audited for memorised films; run its recipe's evaluation first")
    if record["memorised"] is not False:
        raise InputError(f"{where} draws films nearer to its training films than other people's are; train it again")
