"""What is painted over in one frame of a clip and stands still, or is found again in others, goes in every frame.

Text that a scan shines through is missed in some frames and seen in others; one frame in which it stays is enough.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.cohort.dicom.stored_pixels import StoredPixels
from medveil.defenses.pixels.paint.frame import Filling, Frame, paint

Mask = NDArray[np.bool_]
OFTEN = 0.05  # of the frames, and two at least: painted there, a place is painted everywhere, still or not
STILL = 0.06  # of the range of values; what changes less stands still
ROOM = 3  # pixels; the side of what a painted place grows by, for a filling may hit a stroke's own value


def paint_in_all(stored: StoredPixels, before: Sequence[Frame], filling: Filling) -> dict[int, Mask]:
    """Paints more of the frames, given as they were before; by the number of each, all that is painted in it now."""
    if len(before) < 2:
        return {}
    shared = shared_mask(before, stored.frames)
    done = {}
    for number, frame in enumerate(before):
        own = _painted(frame, stored.frames[number])
        more = shared & ~own
        if more.any():
            mask = more.astype(np.float32)
            stored.frames[number] = paint(stored.frames[number], mask, stored.kind, stored.dataset, filling).frame
            done[number] = own | more
    return done


def shared_mask(before: Sequence[Frame], after: Sequence[Frame]) -> Mask:
    """Where all frames of a clip are to be painted, by where some were."""
    times = np.zeros(before[0].shape[:2], np.int32)
    for one, other in zip(before, after, strict=True):
        if other is not one:
            times += _grown(_painted(one, other))
    if not times.any():
        return times > 0
    whole = max(float(frame.max()) for frame in before) - min(float(frame.min()) for frame in before)
    still = _ranges(before) <= STILL * whole
    return (times >= max(2, OFTEN * len(before))) | ((times > 0) & still)


def _painted(before: Frame, after: Frame) -> Mask:
    differs = before != after
    return np.asarray(differs.any(axis=2) if differs.ndim == 3 else differs)


def _grown(mask: Mask) -> Mask:
    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((ROOM, ROOM), np.uint8)) > 0)


def _ranges(frames: Sequence[Frame]) -> NDArray[np.float32]:
    """How much each pixel changes over a clip."""
    low, high = frames[0], frames[0]
    for frame in frames[1:]:
        low, high = np.minimum(low, frame), np.maximum(high, frame)
    ranges = high.astype(np.float32) - low.astype(np.float32)
    return ranges.max(axis=2) if ranges.ndim == 3 else ranges
