"""From any radiograph to what the networks see: 256 × 256 pixels, 8 bits, stretched to the full range."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

SIDE = 256  # the networks were trained on this much detail; larger inputs of theirs are interpolated from it
TAILS = (0.5, 99.5)  # per cent of the pixels; a burned-in marker must not set the range


def prepare(image: NDArray[Any]) -> NDArray[np.uint8]:
    """The same result for the same picture at 8, 12 or 16 bits, whatever its size."""
    if image.shape != (SIDE, SIDE):
        # here and not above: training on prepared arrays needs neither pandas nor OpenCV
        from medveil.cohort.preprocess import resize

        image = resize(image, SIDE)
    low, high = np.percentile(image, TAILS)
    if high <= low:
        low, high = float(image.min()), float(image.max())
    scaled = (image.astype(np.float32) - np.float32(low)) * np.float32(255 / max(high - low, 1e-6))
    return np.clip(np.rint(scaled), 0, 255).astype(np.uint8)
