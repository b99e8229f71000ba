"""`fill`: put something in the place of masked pixels that owes nothing to what they were."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.paint.networks import Network, load_network
from medveil.defenses.pixels.paint.surface import continued, evened, grain, spread, typical_grain, with_flat_places
from medveil.defenses.pixels.paint.windows import Window, find_windows
from medveil.errors import InputError, SettingsError
from medveil.weights.bundled import bundled

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
Place = tuple[slice, slice]  # rows and columns
How = Literal["generator", "classical", "black"]
# the generator paints so much in some 30 ms of a core, and was trained on holes of that thickness
LIMITS = {"generator": {"most": 16_000, "thickest": 20}, "classical": {"most": 400_000, "thickest": 200}}
NEAR = 16  # pixels around a hole that are looked at
BLUR = 0.6  # pixels; takes the sharpness off that only a network's output has
# Beyond these a hole is left plain. A film is some 36 cm wide, so in a thicker hole a nodule of 1.5 cm has room.
THICKEST = 1 / 24  # of the image's shorter side,
LEAST_THICK = 24  # but no fewer pixels
LARGEST = 0.1  # of the image, all holes together
_log = logging.getLogger("medveil.pixels")


@dataclass(frozen=True)
class Filled:
    """The image (0..1); how many of its holes were too large for more than a plain surface; whether a generator was
    asked for and could not paint.
    """

    image: Floats
    plain: int = 0
    without_generator: bool = False


def fill(
    image: Floats, mask: Floats, *, how: How = "classical", key: bytes = b"", generator: Path | None = None
) -> Filled:
    """The image (0..1, gray or with three planes of colour) with every pixel whose mask is above zero painted anew; all
    others are as they were.

    What is painted follows from the other pixels, the mask and the key alone. On the feathered edge of a soft mask
    it is for the caller to mix image and painting. `generator` is a trained file instead of the bundled one.
    """
    _check(image, mask, how)
    hole = mask > 0
    planes = image.astype(np.float32).reshape(*image.shape[:2], -1)
    if how == "black":
        planes[hole] = 0
    if how == "black" or not hole.any():
        return Filled(planes.reshape(image.shape))
    network = _network(generator or bundled("generator")) if how == "generator" else None
    by, windows = find_windows(hole, **LIMITS["classical" if network is None else "generator"])
    work = _Filling(planes, ~hole, key)
    for window in windows:
        try:
            work.fill(window, by, network)
        except RuntimeError:  # as the compiled network's own errors are
            if network is None:
                raise
            _log.warning("the generator failed on an image, which is filled without it")
            network = None
            work.fill(window, by, network)
    return Filled(planes.reshape(image.shape), work.plain, how == "generator" and network is None)


def _check(image: Floats, mask: Floats, how: str) -> None:
    if (
        image.ndim not in (2, 3)
        or image.shape[:2] != mask.shape
        or 0 in image.shape
        or image.shape[2:] not in ((), (3,))
    ):
        raise InputError("an image to fill is gray or has three colours, and its mask has its size; pass one frame")
    if how not in ("generator", "classical", "black"):
        raise SettingsError("filling is by generator, classical or black; choose one of them")
    if not math.isfinite(float(mask.sum()) + float(image.sum())):
        raise InputError("an image or mask holds values that are not numbers; scale both to 0..1 first")


def _network(path: Path) -> Network | None:
    """None, and a notice, where there are no weights or nothing to run them with."""
    try:
        return load_network(path)
    except (ImportError, OSError, RuntimeError, InputError):
        _log.warning("the generator cannot be loaded; removed text is filled without it")
        return None


class _Filling:
    """One image while its windows are filled, in place."""

    def __init__(self, planes: Floats, known: Bools, key: bytes) -> None:
        self.planes, self.known, self.key = planes, known, key
        self.typical = [typical_grain(planes[..., number], known) for number in range(planes.shape[2])]
        self.thickest = max(LEAST_THICK, math.ceil(THICKEST * min(known.shape)))
        self.all_plain = bool((~known).mean() > LARGEST)
        self.plain = 0

    def fill(self, window: Window, by: int, network: Network | None) -> None:
        within = _clipped(window, self.known.shape)
        near = _around(~self.known, within)
        painting = None
        if network is not None or by > 1:
            painting = _painting(self._seen(within), self.known[within], window, by, network)
            near = _common(near, within)
        part, known = self._seen(near), self.known[near]
        ours = np.zeros(known.shape, bool)
        ours[_inside(_common(near, within), near)] = True
        ours &= ~known
        plain, count = self._too_large(ours)
        for number in range(part.shape[2]):
            rng = np.random.default_rng(self._seed(near, part, known))
            base = None if painting is None else painting[_inside(near, within)][..., number]
            filled = self._plane(part[..., number], known, base, plain, self.typical[number], rng, network is not None)
            plane = self.planes[near][..., number]
            plane[ours] = np.clip(filled, 0, 1)[ours]
        self.plain += count

    def _seen(self, place: Place) -> Floats:
        """Nothing of a hole, nor of what it was filled with."""
        return np.where(self.known[place][..., None], self.planes[place], np.float32(0))

    def _plane(
        self,
        part: Floats,
        known: Bools,
        base: Floats | None,
        plain: Bools,
        typical: tuple[float, ...],
        rng: np.random.Generator,
        painted: bool,
    ) -> Floats:
        """Grain for the whole window, and the surface that leads from where it differs from the known pixels on one
        side of a hole to the other: so neither brightness nor grain breaks off at the edge.
        """
        part, known = with_flat_places(part, known)
        noise = grain(part, known, typical, rng, base if painted else None)
        if base is None:
            filled = noise + continued(evened(part - noise, known, typical), known)
        else:
            base = cv2.GaussianBlur(base, (0, 0), BLUR)
            filled = noise + base + spread(part - base - noise, known)
        if plain.any():
            filled = np.where(plain, spread(part, known), filled)
        return np.where(known, part, filled)

    def _too_large(self, hole: Bools) -> tuple[Bools, int]:
        """Which holes are left plain, and how many."""
        padded = cv2.copyMakeBorder(hole.astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
        depth = cv2.distanceTransform(padded, cv2.DIST_L2, 3)[1:-1, 1:-1]
        count, marks = cv2.connectedComponents(hole.astype(np.uint8), connectivity=8)
        if self.all_plain:
            return hole, count - 1
        thick = np.unique(marks[2 * depth > self.thickest + 1])
        return np.isin(marks, thick), len(thick)

    def _seed(self, place: Place, part: Floats, known: Bools) -> int:
        """Of the grain: nobody without the key can draw it again, and everybody with it can."""
        digest = blake2b(repr(place).encode(), digest_size=16, key=self.key[: blake2b.MAX_KEY_SIZE])
        digest.update(np.ascontiguousarray(part).tobytes())
        digest.update(np.ascontiguousarray(known).tobytes())
        return int.from_bytes(digest.digest())


def _clipped(window: Window, shape: tuple[int, ...]) -> Place:
    left, top, right, bottom = window
    return slice(max(0, top), min(bottom, shape[0])), slice(max(0, left), min(right, shape[1]))


def _around(hole: Bools, place: Place) -> Place:
    """The hole of a window and a strip around it."""
    spans = []
    for axis, side in enumerate(place):
        found = side.start + np.flatnonzero(hole[place].any(1 - axis))
        spans.append(slice(max(0, int(found[0]) - NEAR), min(hole.shape[axis], int(found[-1]) + 1 + NEAR)))
    return spans[0], spans[1]


def _common(one: Place, other: Place) -> Place:
    rows, columns = (slice(max(a.start, b.start), min(a.stop, b.stop)) for a, b in zip(one, other, strict=True))
    return rows, columns


def _inside(place: Place, other: Place) -> Place:
    """A place as seen from the corner of another that holds it."""
    rows, columns = (slice(a.start - b.start, a.stop - b.start) for a, b in zip(place, other, strict=True))
    return rows, columns


def _painting(part: Floats, known: Bools, window: Window, by: int, network: Network | None) -> Floats:
    """The window painted at a shrunk size and enlarged."""
    left, top, right, bottom = window
    above, before = max(0, -top), max(0, -left)
    place = np.s_[above : above + part.shape[0], before : before + part.shape[1]]
    whole = np.zeros((bottom - top, right - left, part.shape[2]), np.float32)
    seen = np.zeros(whole.shape[:2], np.float32)
    whole[place], seen[place] = part, known
    size = (whole.shape[1] // by, whole.shape[0] // by)
    share = cv2.resize(seen, size, interpolation=cv2.INTER_AREA)
    total = np.stack([cv2.resize(plane, size, interpolation=cv2.INTER_AREA) for plane in whole.transpose(2, 0, 1)], 2)
    small, clear = total / np.maximum(share, np.float32(1e-6))[..., None], share >= 0.5
    if network is None:
        painted = np.stack([continued(plane, clear) for plane in small.transpose(2, 0, 1)], 2)
    else:
        painted = network(small, clear)
    large = [cv2.resize(plane, seen.shape[::-1], interpolation=cv2.INTER_CUBIC) for plane in painted.transpose(2, 0, 1)]
    return np.stack(large, 2)[place]
