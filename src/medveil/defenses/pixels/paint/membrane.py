"""A smooth surface over a hole: values spread inwards from its edge, coarse to fine."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
RELAXED = 4  # rounds at every level: each place of the hole becomes the mean of its neighbours


def spread(values: Floats, known: NDArray[np.bool_]) -> Floats:
    """`values` where known; elsewhere nearly the harmonic surface, which has no bumps of its own."""
    if known.all():
        return values
    if not known.any():
        return np.zeros_like(values)
    weight = known.astype(np.float32)
    smaller = (max(1, (values.shape[1] + 1) // 2), max(1, (values.shape[0] + 1) // 2))
    share = cv2.resize(weight, smaller, interpolation=cv2.INTER_AREA)
    total = cv2.resize(np.where(known, values, np.float32(0)), smaller, interpolation=cv2.INTER_AREA)
    coarse = spread(total / np.maximum(share, np.float32(1e-6)), share > 1e-3)
    surface = cv2.resize(coarse, values.shape[::-1], interpolation=cv2.INTER_LINEAR)
    for _ in range(RELAXED):
        surface = cv2.blur(np.where(known, values, surface), (3, 3))
    return np.where(known, values, surface)
