"""Smooth curves and sub-pixel strokes and fills on 8-bit layers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]  # 32 bit wherever it is as large as the film
Layer = NDArray[np.uint8]
_SHIFT = 4  # OpenCV's fixed-point bits below the pixel

# The C library gives large blocks back to the system, and asking for them again takes as long as filling them.
# Having once freed a block as large as this, it keeps that much.
np.empty(30 << 20, np.uint8)
cv2.setNumThreads(1)  # the hospital parallelises over patients; threads inside one image would only compete


def points(*rows: Sequence[float]) -> Floats:
    return np.asarray(rows, np.float32)


@lru_cache(maxsize=128)
def _spline(count: int, samples: int, closed: bool) -> Floats:
    """Catmull-Rom weights: (samples, count)."""
    spans = count if closed else count - 1
    at = np.linspace(0, spans, samples, endpoint=not closed)
    span = np.minimum(at.astype(int), spans - 1)
    t = at - span
    weights = (
        (-t + 2 * t**2 - t**3) / 2,
        (2 - 5 * t**2 + 3 * t**3) / 2,
        (t + 4 * t**2 - 3 * t**3) / 2,
        (t**3 - t**2) / 2,
    )
    matrix = np.zeros((samples, count), np.float32)
    for offset, weight in zip((-1, 0, 1, 2), weights, strict=True):
        knot = (span + offset) % count if closed else np.clip(span + offset, 0, count - 1)
        np.add.at(matrix, (np.arange(samples), knot), weight)
    return matrix


def smooth(knots: Floats, samples: int, *, closed: bool = False) -> Floats:
    """A curve of `samples` points through the knots."""
    return _spline(len(knots), samples, closed) @ knots


def ribbon(curves: Floats, width: Floats | float) -> tuple[Floats, Floats]:
    """The two edges of bands of this full width along curves of pixels (..., points, 2)."""
    along = np.empty_like(curves)
    along[..., 1:-1, :] = curves[..., 2:, :] - curves[..., :-2, :]
    along[..., 0, :] = curves[..., 1, :] - curves[..., 0, :]
    along[..., -1, :] = curves[..., -1, :] - curves[..., -2, :]
    length = np.maximum(np.hypot(along[..., 0], along[..., 1]), 1e-6)
    half = np.asarray(width, np.float32) / 2 / length
    offset = np.empty_like(along)
    np.multiply(-along[..., 1], half, out=offset[..., 0])
    np.multiply(along[..., 0], half, out=offset[..., 1])
    return curves + offset, curves - offset


def _fixed(curves: Floats) -> list[NDArray[np.int32]]:
    # OpenCV puts pixel centres at whole numbers, we put them at halves.
    whole = np.ascontiguousarray(np.rint((curves - np.float32(0.5)) * (1 << _SHIFT)).astype(np.int32))
    return [whole] if whole.ndim == 2 else list(whole)


def fill(layer: Layer, outlines: Floats, value: int) -> None:
    """Fill one outline (points, 2) or several (n, points, 2)."""
    for outline in _fixed(outlines):  # together they would cancel where they overlap
        cv2.fillPoly(layer, [outline], value, cv2.LINE_AA, _SHIFT)


def stroke(layer: Layer, curves: Floats, value: int, width: float, *, closed: bool = False) -> None:
    """One or several lines of this width; those thinner than a pixel are fainter instead."""
    faint = round(value * min(1.0, max(width, 0.15)))
    cv2.polylines(layer, _fixed(curves), closed, faint, max(1, round(width)), cv2.LINE_AA, _SHIFT)


def band(layer: Layer, curves: Floats, width: Floats | float, value: int) -> None:
    """Filled bands along curves."""
    one, other = ribbon(curves, width)
    fill(layer, np.concatenate([one, other[..., ::-1, :]], axis=-2), value)


def tube(layer: Layer, curves: Floats, width: Floats | float, inside: int, wall: int, wall_width: float) -> None:
    """Hollow bones: denser where the beam grazes their walls."""
    one, other = ribbon(curves, width)
    fill(layer, np.concatenate([one, other[..., ::-1, :]], axis=-2), inside)
    stroke(layer, one, wall, wall_width)
    stroke(layer, other, wall, wall_width)


def ellipses(centres: Floats, half_x: Floats | float, half_y: Floats | float, samples: int = 14) -> Floats:
    """Outlines (..., samples, 2) around centres (..., 2)."""
    cosine, sine = _circle(samples)
    outlines = np.empty((*centres.shape[:-1], samples, 2), np.float32)
    outlines[..., 0] = np.asarray(half_x, np.float32)[..., None] * cosine
    outlines[..., 1] = np.asarray(half_y, np.float32)[..., None] * sine
    outlines += centres[..., None, :]
    return outlines


@lru_cache(maxsize=8)
def _circle(samples: int) -> tuple[Floats, Floats]:
    angle = np.linspace(0, 2 * np.pi, samples, endpoint=False, dtype=np.float32)
    return np.cos(angle), np.sin(angle)


def blurred(image: Floats, sigma: float) -> Floats:
    """Gaussian blur; wide ones are done on a smaller copy."""
    if sigma < 4:
        done: Floats = cv2.GaussianBlur(image, (0, 0), sigma)
        return done
    factor = 2 ** int(np.log2(sigma / 2))
    height, width = image.shape
    small = cv2.resize(image, (max(1, width // factor), max(1, height // factor)), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), sigma / factor, borderType=cv2.BORDER_REPLICATE)
    back: Floats = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
    return back


def clouds(rng: np.random.Generator, shape: tuple[int, int], cell: float, octaves: int, fade: float = 0.6) -> Floats:
    """Smooth noise of about unit spread whose coarsest features are `cell` pixels wide."""
    total = np.zeros(shape, np.float32)
    strength, power = 1.0, 0.0
    for _ in range(octaves):
        small = tuple(max(2, int(np.ceil(side / cell)) + 2) for side in shape)
        noise = rng.standard_normal(small, dtype=np.float32)
        total += np.float32(strength) * cv2.resize(noise, shape[::-1], interpolation=cv2.INTER_CUBIC)
        power += strength**2
        strength *= fade
        cell = max(1.0, cell / 2)
    return total / np.float32(np.sqrt(power) * 0.8)
