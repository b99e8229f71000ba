"""A hole filled from its surroundings: a smooth surface spread inwards from the edge, and grain like theirs.

Without the noise of its image, a filled region shows at a glance.
"""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
SIGMAS = (0.6, 1.2, 2.4)  # pixels; what lies between two neighbouring blurs is a band
CLIP = 2.0  # medians; what is stronger is an edge and no noise
KEPT = 0.71  # of the power of Gaussian noise, after clipping
RELAXED = 4  # rounds at every level: each place of the hole becomes the mean of its neighbours
COARSE = 4  # pixels; the strength of grain is measured on a raster


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


def add_grain(filled: Floats, hole: NDArray[np.bool_], rng: np.random.Generator) -> Floats:
    """In every band, as much noise as the region has less than its surroundings, place by place."""
    size = (-(-filled.shape[1] // COARSE), -(-filled.shape[0] // COARSE))
    inner = cv2.resize(hole.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    result = filled.copy()
    for own, drawn in zip(_bands(filled), _bands(rng.standard_normal(filled.shape, np.float32)), strict=True):
        power = np.minimum(np.abs(own), CLIP * _typical(own, ~hole)) ** 2 / KEPT
        whole = cv2.resize(power, size, interpolation=cv2.INTER_AREA)
        inside = cv2.resize(power * hole, size, interpolation=cv2.INTER_AREA)
        lacking = _strength(whole - inside, 1 - inner) - _strength(inside, inner)
        amount = np.sqrt(np.maximum(lacking, 0)) / max(float(drawn.std()), 1e-6)
        result += drawn * cv2.resize(amount, filled.shape[::-1], interpolation=cv2.INTER_LINEAR)
    return np.where(hole, result, filled)


def _bands(image: Floats) -> list[Floats]:
    """From fine to coarse: what each stronger blur takes away."""
    levels = [image, *(cv2.GaussianBlur(image, (0, 0), sigma) for sigma in SIGMAS)]
    return [finer - coarser for finer, coarser in pairwise(levels)]


def _typical(band: Floats, known: NDArray[np.bool_]) -> float:
    """Of every third pixel across and down: enough for a median."""
    sample = np.abs(band[::3, ::3])[known[::3, ::3]]
    return float(np.median(sample)) if len(sample) else 0.0


def _strength(power: Floats, share: Floats) -> Floats:
    """Mean power where enough of a raster's place counts, spread over all others and smoothed."""
    mean = np.divide(power, np.maximum(share, 1e-6), dtype=np.float32)
    return np.asarray(cv2.blur(spread(mean, share > 0.5), (5, 5)))
