"""What lies outside of the scan: told by the regions that an ultrasound machine calibrates, or by a clip's still parts.

Around the scan machines write who is on the table. What is outside goes as a whole, whatever it says; text inside of
the scan is the cleaner's. Where neither tells the two apart, nothing is called outside.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from pydicom.dataset import Dataset
from pydicom.uid import UID

from medveil.cohort.dicom.stored_pixels import StoredPixels
from medveil.defenses.pixels.paint.frame import Filling, paint

Mask = NDArray[np.bool_]
LEAST, MOST = 0.15, 0.97  # of the image: the share that a scan covers if what is told of it is to be believed
SMALLEST = 0.01  # of the image; smaller regions and moving parts are no scan but a clock, a scale, a trace
FEWEST = 8  # frames that tell still from moving
MOVED = 0.06  # of the range of values by which a pixel changes that moves; compression changes less
GAP = 0.02  # of the longer side that may be still between moving parts, and around them
MOVING_INSIDE = 0.5  # of the scan, at least
STRAY = 0.02  # of the image, at most, that moves outside
PLAIN = 0.7  # of what is outside, at least
_SLICES = frozenset({"CT", "MG", "MR", "NM", "PT"})  # by (0008,0060): frames of these are no clip but a volume
_SCANS = (1, 2, 3, 4)  # (0018,6012): two-dimensional, M-mode, spectral, wave form; not graphics


def blank_outside_of_scan(stored: StoredPixels) -> Mask | None:
    """Every frame blackened outside of the scan, in place; where that is, or None where it is not told."""
    outside = outside_of_scan(stored)
    if outside is not None:
        mask = outside.astype(np.float32)
        for number, frame in enumerate(stored.frames):
            stored.frames[number] = paint(frame, mask, stored.kind, stored.dataset, Filling("black")).frame
    return outside


def outside_of_shown_scan(header: Dataset, shape: tuple[int, ...]) -> Mask | None:
    """The same for one frame as displayed, of which there is only the header of its file."""
    scan = calibrated(header, shape) if is_ultrasound(header) else None
    return None if scan is None else ~scan


def outside_of_scan(stored: StoredPixels) -> Mask | None:
    """True where no frame shows the scan; None where that is not told."""
    scan = calibrated(stored.dataset, stored.frames[0].shape) if is_ultrasound(stored.dataset) else None
    if scan is None and is_clip(stored):
        scan = moving(stored.displayed(number) for number in range(len(stored.frames)))
    return None if scan is None else ~scan


def is_ultrasound(dataset: Dataset) -> bool:
    return str(dataset.get("Modality") or "").upper() in ("US", "IVUS")


def is_clip(stored: StoredPixels) -> bool:
    """Whether its frames follow one another in time, and are enough to tell still from moving."""
    captured = "SecondaryCapture" in UID(str(stored.dataset.get("SOPClassUID") or "")).keyword
    slices = str(stored.dataset.get("Modality") or "").upper() in _SLICES and not captured
    return len(stored.frames) >= FEWEST and not slices


def calibrated(dataset: Dataset, shape: tuple[int, ...]) -> Mask | None:
    """The regions of (0018,6011); None where they are not there, or not inside of the image, or all or little of it."""
    scan = np.zeros(shape[:2], bool)
    rows, columns = scan.shape
    for region in dataset.get("SequenceOfUltrasoundRegions") or ():
        if region.get("RegionSpatialFormat") not in _SCANS:
            continue
        left, top, right, bottom = (_whole(region.get(f"RegionLocation{corner}")) for corner in _CORNERS)
        if not (0 <= left < right < columns and 0 <= top < bottom < rows):
            return None
        if (right - left + 1) * (bottom - top + 1) >= SMALLEST * scan.size:
            scan[top : bottom + 1, left : right + 1] = True
    return scan if LEAST <= scan.mean() <= MOST else None


_CORNERS = ("MinX0", "MinY0", "MaxX1", "MaxY1")


def moving(frames: Iterable[NDArray[np.unsignedinteger[Any]]]) -> Mask | None:
    """The convex parts of a gray clip in which most pixels change, on a ground that is plain but for a banner.

    None where the two are not told apart: then what is still may be anatomy.
    """
    frames = iter(frames)
    low = high = next(frames)
    for frame in frames:
        low, high = np.minimum(low, frame), np.maximum(high, frame)
    step = MOVED * (int(high.max()) - int(low.min()))
    moved = (high - low) > step
    scan = _hulls(moved)
    if not LEAST <= scan.mean() <= MOST or moved[scan].mean() < MOVING_INSIDE:
        return None
    if (moved & ~scan).mean() > STRAY:
        return None
    ground = high[~scan].astype(np.float64)
    return scan if (np.abs(ground - np.median(ground)) <= step).mean() >= PLAIN else None


def _hulls(moved: Mask) -> Mask:
    """The convex hull of every large part that moves."""
    side = 1 + 2 * max(1, round(GAP * max(moved.shape) / 2))
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    single = cv2.morphologyEx(moved.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))  # letters that flicker
    joined = cv2.morphologyEx(single, cv2.MORPH_CLOSE, kernel)
    hulls = np.zeros(moved.shape, np.uint8)
    count, labels, sizes, _ = cv2.connectedComponentsWithStats(joined)
    for number in range(1, count):
        if sizes[number, cv2.CC_STAT_AREA] >= SMALLEST * moved.size:
            points = np.argwhere(labels == number)[:, ::-1].astype(np.int32)
            cv2.fillConvexPoly(hulls, cv2.convexHull(points), 1)
    return np.asarray(cv2.dilate(hulls, kernel) > 0)


def _whole(value: Any) -> int:
    """As a number of pixels; none where it is no number."""
    try:
        return int(value)
    except (TypeError, ValueError):
        return -1
