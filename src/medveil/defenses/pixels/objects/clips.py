"""What the frames of a clip tell of one another: burned-in text stands where it is, anatomy moves.

What is painted over in one frame and stands still goes in every frame: text that a scan shines through is missed in
some, and one frame in which it stays is enough. Where the scan is told from what is around it, text in it is looked for
in what frame after frame shows, for a scan that moves resembles letters at times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.cohort.dicom.stored_pixels import StoredPixels
from medveil.defenses.pixels.paint.frame import Filling, Frame, paint

Mask = NDArray[np.bool_]
STILL = 0.06  # of the range of values; what changes less stands still
ROOM = 3  # pixels; the side of what a painted place grows by
STRETCH = 16  # frames; nobody could read what stands for less


def paint_in_all(stored: StoredPixels, before: Sequence[Frame], filling: Filling) -> dict[int, Mask]:
    """Paints more of the frames, given as they were before; by the number of each, all that is painted in it now."""
    if len(before) < 2:
        return {}
    shared = shared_mask(before, stored.frames)
    done = {}
    for number, frame in enumerate(before):
        own = where_painted(frame, stored.frames[number])
        more = shared & ~own
        if more.any():
            mask = more.astype(np.float32)
            stored.frames[number] = paint(stored.frames[number], mask, stored.kind, stored.dataset, filling).frame
            done[number] = own | more
    return done


def stretches(frames: int) -> Iterator[range]:
    """Frames that follow one another, each stretch overlapping the next by half, and the last one whole too."""
    last = max(0, frames - STRETCH)
    for start in sorted({*range(0, last, STRETCH // 2), last}):
        yield range(start, min(frames, start + STRETCH))


def shown_by_all(stored: StoredPixels, numbers: Sequence[int]) -> NDArray[np.unsignedinteger[Any]]:
    """What these frames all show, in gray: the darkest that each pixel becomes. A moving scan fades, print stays."""
    darkest = stored.displayed(numbers[0])
    for number in numbers[1:]:
        darkest = np.minimum(darkest, stored.displayed(number))
    return darkest


def where_painted(before: Frame, after: Frame) -> Mask:
    """Where something was painted, with a little room: a filling may hit a stroke's own value."""
    differs = before != after
    mask = (differs.any(axis=2) if differs.ndim == 3 else differs).astype(np.uint8)
    return np.asarray(cv2.dilate(mask, np.ones((ROOM, ROOM), np.uint8)) > 0)


def shared_mask(before: Sequence[Frame], after: Sequence[Frame]) -> Mask:
    """Where all frames of a clip are to be painted, by where some were."""
    somewhere = np.zeros(before[0].shape[:2], bool)
    for one, other in zip(before, after, strict=True):
        if other is not one:
            somewhere |= where_painted(one, other)
    if not somewhere.any():
        return somewhere
    whole = max(float(frame.max()) for frame in before) - min(float(frame.min()) for frame in before)
    return somewhere & (_ranges(before) <= STILL * whole)


def _ranges(frames: Sequence[Frame]) -> NDArray[np.float32]:
    """How much each pixel changes over a clip."""
    low, high = frames[0], frames[0]
    for frame in frames[1:]:
        low, high = np.minimum(low, frame), np.maximum(high, frame)
    ranges = high.astype(np.float32) - low.astype(np.float32)
    return ranges.max(axis=2) if ranges.ndim == 3 else ranges
