"""Strips as the reader wants them: the full contrast of each, side by side on one sheet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

HEIGHT = 32  # pixels of a strip
COLUMN = 4  # pixels of the strip to one column of shares
EXTREMES = 0.01  # share of the pixels at either end that a strip's contrast does not heed
BEYOND = 1.5  # how far those may stand out
APART = 44  # pixels between strips: what one shows must not reach into the next
SHEET = 256  # pixels; a sheet's width is a multiple, for each new width costs the processor a start


def contrasted(strip: NDArray[np.uint8]) -> NDArray[np.float32]:
    """From -1 for the strip's dark to 1 for its light."""
    counts = np.bincount(strip.ravel(), minlength=256).cumsum()
    low, high = np.searchsorted(counts, (EXTREMES * counts[-1], (1 - EXTREMES) * counts[-1]))
    scaled = (strip.astype(np.float32) - np.float32(low)) * np.float32(2 / max(int(high) - int(low), 1)) - 1
    return np.clip(scaled, -BEYOND, BEYOND)


def light_on_dark(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """What there is more of is what is written on: dark, as on most films, whatever it was."""
    return -values if values.mean() > 0 else values


def side_by_side(strips: list[NDArray[np.uint8]]) -> tuple[NDArray[np.float32], list[slice]]:
    """One sheet with all strips, and the columns of shares that belong to each."""
    starts = [0]
    for strip in strips:
        starts.append(-(-(starts[-1] + strip.shape[1] + APART) // COLUMN) * COLUMN)
    sheet = np.zeros((1, 1, HEIGHT, -(-starts[-1] // SHEET) * SHEET), np.float32)
    columns = []
    for start, strip in zip(starts, strips, strict=False):
        end = start + strip.shape[1]
        sheet[0, 0, :, start:end] = light_on_dark(contrasted(strip))
        columns.append(slice(start // COLUMN, -(-end // COLUMN) + 1))
    return sheet, columns
