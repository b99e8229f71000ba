"""`fill`: put something in the place of masked pixels that owes nothing to what they were."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.paint.surface import add_grain, spread
from medveil.defenses.pixels.paint.windows import STEP, Window, find_windows
from medveil.errors import InputError, SettingsError
from medveil.runtime.once import once
from medveil.weights.bundled import bundled

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
Painter = Callable[[Floats, Bools], Floats]
How = Literal["generator", "classical", "black"]
# the generator paints so much in some 30 ms of a core, and was trained on holes of that thickness
LIMITS = {"generator": {"most": 16_000, "thickest": 20}, "classical": {"most": 160_000, "thickest": 200}}
NEAR = 16  # pixels
BLUR = 0.6  # pixels; takes the sharpness off that only a network's output has


def fill(
    image: Floats, mask: Floats, *, how: How = "generator", seed: int = 0, generator: Path | None = None
) -> Floats:
    """The image (0..1) with every pixel whose mask is above zero painted anew; all others are as they were.

    What is painted follows from the other pixels, the mask and the seed alone. On the feathered edge of a soft mask
    it is for the caller to mix image and painting. `generator` is a trained file instead of the bundled one.
    """
    _check(image, mask, how)
    hole = mask > 0
    result = image.astype(np.float32)
    if not hole.any():
        return result
    if how == "black":
        result[hole] = 0
        return result
    painter = _classical if how == "classical" else _network(generator or bundled("generator"))
    by, windows = find_windows(hole, **LIMITS[how])
    for number, window in enumerate(windows):
        _fill_window(result, hole, window, by, painter, np.random.default_rng([seed, number]))
    return result


def _check(image: Floats, mask: Floats, how: str) -> None:
    if image.ndim != 2 or image.shape != mask.shape or 0 in image.shape:
        raise InputError("an image to fill has two dimensions, and its mask the same; pass one frame at a time")
    if how not in ("generator", "classical", "black"):
        raise SettingsError("filling is by generator, classical or black; choose one of them")
    if not math.isfinite(float(mask.sum()) + float(image.sum())):
        raise InputError("an image or mask holds values that are not numbers; scale both to 0..1 first")


def _fill_window(
    image: Floats, hole: Bools, window: Window, by: int, painter: Painter, rng: np.random.Generator
) -> None:
    """In place: shrink, paint, meet the edge's brightness, enlarge, add the surroundings' grain."""
    left, top, right, bottom = window
    inside = np.s_[max(0, top) : bottom, max(0, left) : right]
    height, width = image[inside].shape
    place = np.s_[max(0, -top) : max(0, -top) + height, max(0, -left) : max(0, -left) + width]
    part = np.zeros((bottom - top, right - left), np.float32)
    known = np.zeros(part.shape, bool)
    part[place], known[place] = image[inside], ~hole[inside]
    painted = _enlarged(_painted(part, known, by, painter), by)[place]
    near = _near(~known[place])
    missing = ~known[place][near]
    filled = np.where(missing, painted[near], part[place][near])
    filled = np.where(missing, cv2.GaussianBlur(filled, (0, 0), BLUR), filled)
    grainy = np.clip(add_grain(filled, missing, rng), 0, 1)
    image[inside][near] = np.where(missing, grainy, filled)


def _near(missing: Bools) -> tuple[slice, slice]:
    """The part of a window that grain is measured in: its hole and a strip around."""
    spans = []
    for axis in (1, 0):
        found = np.flatnonzero(missing.any(axis))
        spans.append(slice(max(0, int(found[0]) - NEAR), int(found[-1]) + 1 + NEAR))
    return spans[0], spans[1]


def _painted(part: Floats, known: Bools, by: int, painter: Painter) -> Floats:
    """The painting at the shrunk size, moved to meet what surrounds the hole."""
    size = (part.shape[1] // by, part.shape[0] // by)
    share = cv2.resize(known.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    total = cv2.resize(np.where(known, part, np.float32(0)), size, interpolation=cv2.INTER_AREA)
    small, seen = total / np.maximum(share, np.float32(1e-6)), share >= 0.5
    painted = painter(small, seen)
    offset = spread(np.where(seen, small - painted, np.float32(0)), seen)
    return painted + offset


def _enlarged(painted: Floats, by: int) -> Floats:
    if by == 1:
        return painted
    size = (painted.shape[1] * by, painted.shape[0] * by)
    return np.asarray(cv2.resize(painted, size, interpolation=cv2.INTER_CUBIC), dtype=np.float32)


def _classical(image: Floats, seen: Bools) -> Floats:
    """Nothing painted: the edge's brightness alone, spread over the hole."""
    return np.zeros_like(image)


@once
def _network(path: Path) -> Painter:
    import torch

    from medveil.defenses.pixels.paint.generator import Stacked, load_generator
    from medveil.runtime.compiled import compiled

    generator = load_generator(path)
    if generator.architecture.channels != 1:
        raise InputError(f"{path} paints in colour; radiographs need a generator of one channel")
    # one thread: the cores are shared out among processes
    run = compiled(Stacked(generator), torch.zeros(1, 2, 8 * STEP, 8 * STEP), varying=(2, 3), threads=1)

    def paint(image: Floats, seen: Bools) -> Floats:
        painted = run(np.stack([2 * image - 1, (~seen).astype(np.float32)])[None])[0, 0]
        return (painted + 1) * np.float32(0.5)

    return paint
