"""What the radiograph painter hands over: pixels and the truth about them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Box = tuple[int, int, int, int]  # left, top, right, bottom in pixels; right and bottom exclusive


@dataclass(frozen=True)
class Drawing:
    """A radiograph before text is burned in. Pixels are 12 bit, bright is dense (MONOCHROME2)."""

    pixels: NDArray[np.uint16]
    lungs: NDArray[np.bool_]
    heart: NDArray[np.bool_]
    finding_boxes: tuple[tuple[str, Box], ...]
    device_boxes: tuple[tuple[str, Box], ...]
