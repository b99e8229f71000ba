"""`Embeddings`: the vectors of image-report pairs, and where the pairs stand in the cohort's table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.encoders.encoder import Vectors


@dataclass(frozen=True)
class Embeddings:
    """Vectors, of unit length unless they are features; row i of both is a pair, `rows[i]` its row in the cohort's
    table."""

    images: Vectors
    reports: Vectors
    rows: NDArray[np.intp]
    set_aside: dict[str, int]  # reason -> images

    def __len__(self) -> int:
        return len(self.rows)
