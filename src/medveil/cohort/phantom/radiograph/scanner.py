"""From attenuation to a 12-bit image: beam, scatter, noise, and the post-processing of each site."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.cohort.phantom.radiograph.brush import Floats, blurred

WHITE = 4095


@dataclass(frozen=True)
class Scanner:
    """A site's detector and look-up table."""

    centre: float  # attenuation shown as middle gray
    contrast: float
    compression: float  # how much large bright and dark areas are drawn together
    detail: float
    edge: float
    scatter: float
    quanta: float  # photons a pixel behind no patient
    shutter: float  # how often black collimation is seen
    black: float
    white: float

    @classmethod
    def of(cls, sites_seed: int, site: int) -> Scanner:
        return _install(sites_seed, site)


@lru_cache(maxsize=64)
def _install(sites_seed: int, site: int) -> Scanner:
    rng = np.random.default_rng([sites_seed, site, 23])
    return Scanner(
        centre=float(rng.uniform(1.4, 1.65)),
        contrast=float(rng.uniform(1.5, 1.95)),
        compression=float(rng.uniform(0.05, 0.35)),
        detail=float(rng.uniform(0.25, 0.7)),
        edge=float(rng.uniform(0.4, 1.1)),
        scatter=float(rng.uniform(0.25, 0.4)),
        quanta=float(rng.uniform(80_000, 240_000)),
        shutter=float(rng.uniform(0.15, 0.6)),
        black=float(rng.uniform(-0.06, 0.0)),
        white=float(rng.uniform(0.92, 0.98)),
    )


def expose(
    scanner: Scanner, attenuation: Floats, *, exposure: float, portable: bool, rng: np.random.Generator
) -> NDArray[np.uint16]:
    """Beer-Lambert, scatter, quantum noise, logarithm, enhancement, look-up table.

    Each step overwrites the one before: fresh memory costs more than the arithmetic.
    """
    size = attenuation.shape[0]
    beam = -attenuation
    cv2.exp(beam, dst=beam)
    scattered = blurred(beam, size / 24)
    scattered *= np.float32(scanner.scatter * (1.4 if portable else 1.0))
    beam += scattered
    quanta = scanner.quanta * exposure * (0.45 if portable else 1.0) * (512 / size) ** 2
    noise = rng.standard_normal(beam.shape, dtype=np.float32)
    noise *= cv2.sqrt(beam, dst=scattered)
    cv2.scaleAdd(noise, 1 / math.sqrt(quanta), beam, dst=beam)
    cv2.max(beam, 1e-3, dst=beam)
    # Automatic exposure control takes most of a wrong exposure out again, not all.
    return _render(scanner, cv2.log(beam, dst=beam), 0.3 * math.log(exposure), rng)


def _render(scanner: Scanner, light: Floats, bias: float, rng: np.random.Generator) -> NDArray[np.uint16]:
    """Bands of the logarithm of the light are weighted and summed, then go through the look-up table."""
    size = light.shape[0]
    wide = blurred(light, size / 40)
    narrow = cv2.GaussianBlur(light, (0, 0), size / 512 * 1.3)
    mixed = cv2.addWeighted(light, 1 + scanner.edge, narrow, scanner.detail - scanner.edge, 0, dst=narrow)
    far = -scanner.detail - scanner.compression
    offset = scanner.centre * (1 - scanner.compression) + bias
    shown = cv2.addWeighted(mixed, scanner.contrast, wide, scanner.contrast * far, scanner.contrast * offset, dst=mixed)
    level = cv2.exp(shown, dst=shown)
    level += np.float32(1)
    cv2.divide(1.0, level, dst=level)
    level *= np.float32(WHITE * (scanner.white - scanner.black))
    level += np.float32(WHITE * scanner.black + 0.5)
    shutter = _shutter(scanner, size, rng)
    if shutter is not None:
        level *= shutter
    return np.clip(level, 0, WHITE, out=level).astype(np.uint16)


def _shutter(scanner: Scanner, size: int, rng: np.random.Generator) -> Floats | None:
    """1 inside the collimated field, 0 outside; its edges may be slightly askew."""
    if rng.random() > scanner.shutter:
        return None
    margins = rng.uniform(-0.02, 0.045, 4) * size
    left, top, right, bottom = (max(0.0, float(margin)) for margin in margins)
    corners = np.asarray([(left, top), (size - right, top), (size - right, size - bottom), (left, size - bottom)])
    skew = rng.normal(0, 0.003 * size, (4, 2))
    edges = corners + np.where((corners > 0) & (corners < size), skew, 0)
    inside = np.zeros((size, size), np.uint8)
    cv2.fillPoly(inside, [np.rint(edges * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    return inside * np.float32(1 / 255)
