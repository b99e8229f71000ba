"""Painting over the masked part of a frame of stored values; every pixel outside the mask keeps its bits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydicom.dataset import Dataset
from pydicom.pixels import apply_color_lut

from medveil.defenses.pixels.paint.fill import How, fill

Frame = NDArray[Any]
TAILS = (0.1, 99.9)  # percent of the unmasked values that set the scale
SAMPLE = 65536  # values
_NO_COLOUR = 1 << 7  # chroma of gray, eight bits


def paint(frame: Frame, mask: NDArray[np.float32], kind: str, dataset: Dataset | None, *, how: How, seed: int) -> Frame:
    """A new frame. `kind` is its photometric interpretation, of which the dataset may hold the palette."""
    hole = mask > 0
    if kind == "PALETTE COLOR":
        return _palette(frame, mask, hole, dataset, how, seed)
    if frame.ndim == 2:
        return _plane(frame, mask, hole, how, seed, inverted=kind == "MONOCHROME1")
    result = frame.copy()
    if kind.startswith("YBR"):
        result[..., 0] = _plane(frame[..., 0], mask, hole, how, seed)
        gray = _NO_COLOUR if frame.dtype == np.uint8 else _NO_COLOUR << 8
        result[hole, 1:] = np.rint(_mixed(frame[hole, 1:], np.float64(gray), mask[hole][:, None]))
        return result
    if (frame == frame[..., :1]).all():
        result[:] = _plane(frame[..., 0], mask, hole, how, seed)[..., None]
        return result
    for channel in range(frame.shape[2]):
        result[..., channel] = _plane(frame[..., channel], mask, hole, how, seed)
    return result


def _plane(
    plane: Frame, mask: NDArray[np.float32], hole: NDArray[np.bool_], how: How, seed: int, *, inverted: bool = False
) -> Frame:
    """Scaled by what lies outside the mask, so that the text itself leaves no trace in the scale."""
    low, high = _range(plane, ~hole)
    span = max(high - low, 1e-6)
    unit = np.clip((plane.astype(np.float32) - np.float32(low)) * np.float32(1 / span), 0, 1)
    if inverted:
        unit = 1 - unit
    filled = fill(unit, mask, how=how, seed=seed)[hole].astype(np.float64)
    if inverted:
        filled = 1 - filled
    result = plane.copy()
    result[hole] = np.rint(_mixed(plane[hole], low + filled * (high - low), mask[hole])).astype(plane.dtype)
    return result


def _range(plane: Frame, known: NDArray[np.bool_]) -> tuple[float, float]:
    """Of nearly all known values, by a sample where there are many."""
    step = max(1, math.isqrt(plane.size // SAMPLE))
    sample = plane[::step, ::step][known[::step, ::step]]
    if not sample.size:
        sample = plane[known]
    low, high = np.percentile(sample, TAILS) if sample.size else (0.0, 0.0)
    return float(low), float(high)


def _mixed(old: Frame, new: Any, share: NDArray[np.float32]) -> NDArray[np.float64]:
    return old + (new - old.astype(np.float64)) * share


def _palette(
    frame: Frame, mask: NDArray[np.float32], hole: NDArray[np.bool_], dataset: Dataset | None, how: How, seed: int
) -> Frame:
    """Indices cannot be mixed: each painted pixel takes the entry, of those in use around, that is nearest in gray."""
    used = np.unique(frame[~hole]) if not hole.all() else np.unique(frame)[:1]
    gray = apply_color_lut(used[None], dataset)[0].astype(np.float64).mean(axis=1)
    shown = apply_color_lut(frame, dataset).astype(np.float64).mean(axis=2)
    painted = _plane(np.rint(shown).astype(np.uint16), (mask > 0).astype(np.float32), hole, how, seed)[hole]
    order = np.argsort(gray)
    place = (
        np.clip(np.searchsorted(gray[order], painted), 1, max(1, len(order) - 1))
        if len(order) > 1
        else np.zeros(painted.shape, int)
    )
    if len(order) > 1:
        nearer = np.abs(gray[order][place - 1] - painted) <= np.abs(gray[order][place] - painted)
        place = place - nearer
    result = frame.copy()
    result[hole] = used[order][place]
    return result
