"""Eight-bit views of an image for looking at it: usually one, two where a single one would hide something.

Text can sit where the display window is saturated, or beside one far brighter speck that darkens all the rest.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

View = NDArray[np.uint8]
TAILS = (0.5, 99.5)  # percent
NARROW = 0.4  # of the whole range: below it the bulk of the values gets a view of its own
EDGE, NO_EDGE = 40, 12  # gray levels between neighbours that are an edge, and that are none
MOST_STRAY = 60  # pixels on edges of colour alone; a short word has more
HIDDEN = 0.002  # share of pixels that a window may flatten before the stored values are looked at as well


def views_of(shown: NDArray[Any], stored: NDArray[Any] | None = None) -> list[View]:
    """Views of an image as displayed and, where the display flattens part of it, of its stored values."""
    found = _stretched(shown)
    if stored is not None and _flattened(shown, stored):
        found += _stretched(stored)
    return found


def colour_views(planes: list[NDArray[Any]], shown: NDArray[Any]) -> list[View]:
    """Views of what an image shows in colour alone, where there are edges that its gray does not have.

    They are not stretched: the faint colours of a photograph, and of its compression, must stay faint.
    """
    gray = _edges(_stretched(shown)[0])
    views = (_between(plane, 0, float(np.iinfo(plane.dtype).max)) for plane in planes)
    return [view for view in views if np.count_nonzero((_edges(view) > EDGE) & (gray < NO_EDGE)) > MOST_STRAY]


def _edges(view: View) -> View:
    return np.asarray(cv2.morphologyEx(view, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)))


def _stretched(image: NDArray[Any]) -> list[View]:
    low, high = float(image.min()), float(image.max())
    views = [_between(image, low, high)]
    sample = image[:: max(1, image.shape[0] // 256), :: max(1, image.shape[1] // 256)]
    inner_low, inner_high = (float(value) for value in np.percentile(sample, TAILS))
    if 0 < inner_high - inner_low < NARROW * (high - low):
        margin = 0.25 * (inner_high - inner_low)
        views.append(_between(image, inner_low - margin, inner_high + margin))
    return views


def _between(image: NDArray[Any], low: float, high: float) -> View:
    scaled = (image.astype(np.float32) - np.float32(low)) * np.float32(255 / max(high - low, 1e-6))
    return np.clip(scaled, 0, 255, out=scaled).astype(np.uint8)


def _flattened(shown: NDArray[Any], stored: NDArray[Any]) -> bool:
    """Whether the darkest or brightest level shown stands for stored values that differ."""
    for level in (shown.min(), shown.max()):
        at = shown == level
        if np.count_nonzero(at) > HIDDEN * at.size:
            values = stored[at]
            if float(np.ptp(values)) > 0.02 * float(np.ptp(stored)):
                return True
    return False
