"""From any radiograph to what the networks see: a square of 8 bits, 256 pixels a side or as many as a network looks at.

Gray levels are stretched to the full range, or left as they are stored for networks that were trained so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIDE = 256  # of the bundled networks; smaller inputs of theirs are interpolated from it
TAILS = (0.5, 99.5)  # per cent of the pixels; a burned-in marker must not set the range


@dataclass(frozen=True)
class Preparation:
    """How a network wants its images: with so many pixels a side, stretched to the full range or as they are stored."""

    side: int = SIDE
    stretched: bool = True

    @classmethod
    def of(cls, size: int, *, stretched: bool = True) -> Preparation:
        """For a network that looks at `size` × `size` pixels: no detail it could see is lost beforehand."""
        return cls(max(size, SIDE) if stretched else size, stretched)

    def __call__(self, image: NDArray[Any]) -> NDArray[np.uint8]:
        if image.shape != (self.side, self.side):
            # here and not above: training on prepared arrays needs neither pandas nor OpenCV
            from medveil.cohort.preprocess import resize

            image = resize(image, self.side)
        return _stretched(image) if self.stretched else _eight_bits(image)


def prepare(image: NDArray[Any]) -> NDArray[np.uint8]:
    """For the bundled networks: the same result for the same picture at 8, 12 or 16 bits, whatever its size."""
    return Preparation()(image)


def _stretched(image: NDArray[Any]) -> NDArray[np.uint8]:
    low, high = np.percentile(image, TAILS)
    if high <= low:
        low, high = float(image.min()), float(image.max())
    scaled = (image.astype(np.float32) - np.float32(low)) * np.float32(255 / max(high - low, 1e-6))
    return np.clip(np.rint(scaled), 0, 255).astype(np.uint8)


def _eight_bits(image: NDArray[Any]) -> NDArray[np.uint8]:
    """As stored; only what is deeper than 8 bits is brought to its own range, for it has no other."""
    if image.dtype == np.uint8:
        return image
    from medveil.cohort.preprocess import to_8_bit

    return to_8_bit(image)
