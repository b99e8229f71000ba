"""What a colour image shows that its gray does not: text may differ from its ground in colour alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAST = 8 / 255  # of the range: fainter differences come from compression


def colour_planes(rgb: NDArray[Any]) -> list[NDArray[Any]]:
    """Red and blue, each against green: with the gray, all there is. Flat ones are left out."""
    values = rgb[..., :3].astype(np.int32)
    top = np.iinfo(rgb.dtype).max
    planes = ((values[..., channel] - values[..., 1] + top >> 1).astype(rgb.dtype) for channel in (0, 2))
    return [plane for plane in planes if np.ptp(plane) > LEAST * top]
