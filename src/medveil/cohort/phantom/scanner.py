"""From attenuation to a 12-bit image: beam, scatter, noise, and the post-processing of each site."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.cohort.phantom.brush import blurred

Floats = NDArray[np.float32]
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
        centre=float(rng.uniform(1.6, 1.8)),
        contrast=float(rng.uniform(1.75, 2.2)),
        compression=float(rng.uniform(0.1, 0.3)),
        detail=float(rng.uniform(0.25, 0.7)),
        edge=float(rng.uniform(0.4, 1.1)),
        scatter=float(rng.uniform(0.25, 0.4)),
        quanta=float(rng.uniform(40_000, 120_000)),
        shutter=float(rng.uniform(0.15, 0.6)),
        black=float(rng.uniform(-0.03, 0.01)),
        white=float(rng.uniform(0.92, 0.98)),
    )


def expose(
    scanner: Scanner, attenuation: Floats, *, exposure: float, portable: bool, rng: np.random.Generator
) -> NDArray[np.uint16]:
    """Beer-Lambert, scatter, quantum noise, logarithm, enhancement, look-up table."""
    size = attenuation.shape[0]
    beam = np.exp(-attenuation)
    scatter = scanner.scatter * (1.4 if portable else 1.0)
    beam += np.float32(scatter) * blurred(beam, size / 24)
    quanta = scanner.quanta * exposure * (0.45 if portable else 1.0) * (512 / size) ** 2
    noise = rng.standard_normal(beam.shape, dtype=np.float32)
    noise *= np.sqrt(beam) * np.float32(1 / np.sqrt(quanta))
    beam += noise
    np.maximum(beam, 1e-3, out=beam)
    density = -np.log(beam)
    # Automatic exposure control takes most of a wrong exposure out again, not all.
    density -= np.float32(0.3 * np.log(exposure))
    return _render(scanner, density, rng)


def _render(scanner: Scanner, density: Floats, rng: np.random.Generator) -> NDArray[np.uint16]:
    size = density.shape[0]
    wide, narrow = blurred(density, size / 40), cv2.GaussianBlur(density, (0, 0), size / 512 * 1.3)
    # sum of bands: compressed background, structures, edges
    shown = density + np.float32(scanner.detail) * (narrow - wide) + np.float32(scanner.edge) * (density - narrow)
    shown -= np.float32(scanner.compression) * (wide - np.float32(scanner.centre))
    shown = (shown - np.float32(scanner.centre)) * np.float32(scanner.contrast)
    level = 1 / (1 + np.exp(-shown))
    level = np.float32(scanner.black) + np.float32(scanner.white - scanner.black) * level
    level *= _shutter(scanner, size, rng)
    return np.clip(np.rint(level * np.float32(WHITE)), 0, WHITE).astype(np.uint16)


def _shutter(scanner: Scanner, size: int, rng: np.random.Generator) -> Floats:
    """1 inside the collimated field, near 0 outside; edges may be slightly askew."""
    inside = np.full((size, size), 255, np.uint8)
    if rng.random() < scanner.shutter:
        margins = rng.uniform(-0.02, 0.045, 4) * size
        left, top, right, bottom = (max(0.0, float(margin)) for margin in margins)
        corners = np.asarray([(left, top), (size - right, top), (size - right, size - bottom), (left, size - bottom)])
        skew = rng.normal(0, 0.003 * size, (4, 2))
        outside = corners + np.where((corners > 0) & (corners < size), skew, 0)
        inside[:] = 0
        cv2.fillPoly(inside, [np.rint(outside * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    return inside.astype(np.float32) * np.float32(1 / 255)
