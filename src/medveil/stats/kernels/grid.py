"""The grid that vectors are rounded to, on which sums are exact, and the names of array types that kernels share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.intp]
Counts = NDArray[np.int64]
Words = NDArray[np.uint64]
Vectors = NDArray[np.floating[Any]]
Singles = NDArray[np.float32]
Doubles = NDArray[np.float64]

GRID = 26  # bits; two such numbers multiply and add up within the 53 bits of a double
SHORTEST = 1e-25  # below, steps would leave single precision
NOT_FINITE = "some vectors hold values that are not finite numbers; check the encoder that made them"
ALL_ZERO = "some vectors are all zeros; check the encoder that made them, or leave those cases out"
