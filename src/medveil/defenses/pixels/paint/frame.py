"""Painting over the masked part of a frame of stored values; every pixel outside the mask keeps its bits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydicom.dataset import Dataset
from pydicom.pixels import apply_color_lut

from medveil.defenses.pixels.paint.fill import Filled, How, fill
from medveil.person.keys import Keys

Frame = NDArray[Any]
Floats = NDArray[np.float64]
TAILS = (0.1, 99.9)  # percent of the unmasked values that set the scale
SAMPLE = 65536  # values
# ITU-R BT.601: red, green and blue of luma and the two colour differences
_TO_RGB = np.array([[1, 0, 1.402], [1, -0.344136, -0.714136], [1, 1.772, 0]])
_FROM_RGB = np.linalg.inv(_TO_RGB)


@dataclass(frozen=True)
class Filling:
    """How holes are filled, by which generator if not the bundled one, and what the grain is drawn from."""

    how: How = "classical"
    generator: Path | None = None
    key: bytes = b""

    @classmethod
    def keyed(cls, how: How, generator: Path | None, keys: Keys | None) -> Filling:
        """With grain that the site can draw again and nobody else."""
        return cls(how, generator, keys.pseudonym("grain", "pixels").encode() if keys else b"")


@dataclass(frozen=True)
class Painted:
    """A new frame; how many of its holes were too large for more than a plain surface; whether a generator was asked
    for and could not paint.
    """

    frame: Frame
    plain: int = 0
    without_generator: bool = False


def paint(frame: Frame, mask: NDArray[np.float32], kind: str, dataset: Dataset | None, filling: Filling) -> Painted:
    """`kind` is the frame's photometric interpretation, of which the dataset may hold the palette."""
    hole = mask > 0
    if kind == "PALETTE COLOR":
        return _palette(frame, hole, dataset, filling)
    if frame.ndim == 2:
        return _values(frame, mask, filling, inverted=kind == "MONOCHROME1")
    if kind.startswith("YBR"):
        middle = np.array([0, *(2 * [1 << (8 * frame.dtype.itemsize - 1)])])
        done = _values((frame - middle) @ _TO_RGB.T, (mask > 0).astype(np.float32), filling)
        result, most = frame.copy(), np.iinfo(frame.dtype).max
        new = (done.frame[hole] @ _FROM_RGB.T + middle).clip(0, most)
        result[hole] = np.rint(_mixed(frame[hole], new, mask[hole][:, None]))
        return Painted(result, done.plain, done.without_generator)
    if (frame == frame[..., :1]).all():
        done = _values(frame[..., 0], mask, filling)
        return Painted(np.repeat(done.frame[..., None], 3, 2), done.plain, done.without_generator)
    return _values(frame, mask, filling)


def _values(values: Frame, mask: NDArray[np.float32], filling: Filling, *, inverted: bool = False) -> Painted:
    """Scaled by what lies outside the mask, so that the text itself leaves no trace in the scale."""
    hole = mask > 0
    low, high = _range(values, ~hole)
    span = max(high - low, 1e-6)
    unit = np.clip((values.astype(np.float32) - np.float32(low)) * np.float32(1 / span), 0, 1)
    if inverted:
        unit = 1 - unit
    done = _filled(unit, mask, filling)
    new = done.image[hole].astype(np.float64)
    if inverted:
        new = 1 - new
    result = values.copy()
    mixed = _mixed(values[hole], low + new * (high - low), mask[hole].reshape((-1,) + (1,) * (values.ndim - 2)))
    result[hole] = np.rint(mixed).astype(values.dtype) if values.dtype.kind in "iu" else mixed
    return Painted(result, done.plain, done.without_generator)


def _filled(unit: NDArray[np.float32], mask: NDArray[np.float32], filling: Filling) -> Filled:
    return fill(unit, mask, how=filling.how, key=filling.key, generator=filling.generator)


def _range(values: Frame, known: NDArray[np.bool_]) -> tuple[float, float]:
    """Of nearly all known values, by a sample where there are many."""
    step = max(1, math.isqrt(known.size // SAMPLE))
    sample = values[::step, ::step][known[::step, ::step]]
    if not sample.size:
        sample = values[known]
    low, high = np.percentile(sample, TAILS) if sample.size else (0.0, 0.0)
    return float(low), float(high)


def _mixed(old: Frame, new: Any, share: NDArray[np.float32]) -> Floats:
    mixed: Floats = old + (new - old.astype(np.float64)) * share
    return mixed


def _palette(frame: Frame, hole: NDArray[np.bool_], dataset: Dataset | None, filling: Filling) -> Painted:
    """Indices cannot be mixed: each painted pixel takes the entry in use around that is nearest in colour."""
    from scipy.spatial import KDTree

    used = np.unique(frame[~hole]) if not hole.all() else np.unique(frame)[:1]
    colours = apply_color_lut(used[None], dataset)[0].astype(np.float64)
    shown = apply_color_lut(frame, dataset).astype(np.float64)
    done = _values(shown, hole.astype(np.float32), filling)
    result = frame.copy()
    result[hole] = used[KDTree(colours).query(done.frame[hole])[1]]
    return Painted(result, done.plain, done.without_generator)
