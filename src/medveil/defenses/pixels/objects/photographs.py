"""Photographs are never let out unseen: by what the header says, then by looking for a face."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from pydicom.dataset import Dataset
from pydicom.pixels import apply_color_lut

from medveil.cohort.dicom.opening import quarantining
from medveil.cohort.dicom.stored_pixels import StoredPixels
from medveil.defenses.pixels.objects.faces import Picture, shows_face
from medveil.defenses.pixels.objects.kinds import may_be_photograph, recognisable_by
from medveil.errors import Quarantined

CLIP = 16  # frames; in longer ones a face that comes and goes is large in some
FACE = "shows a face, or something that looks like one; a person must look"


def refuse_recognisable(stored: StoredPixels, accepted: Collection[int] = ()) -> None:
    """Raises `Quarantined` where somebody may be recognised, but in frames that a person looked at and accepted."""
    reason = recognisable_by(stored.dataset)
    if reason and not accepted:
        raise Quarantined(reason)
    if may_be_photograph(stored.dataset):
        count = len(stored.frames)
        for number in range(count):
            if number not in accepted:
                refuse_face(picture_of(stored, number), parts=count <= CLIP)


def refuse_shown(image: NDArray[np.unsignedinteger[Any]], header: Dataset) -> None:
    """The same for one frame as displayed, and the header of the file that it was read from."""
    reason = recognisable_by(header)
    if reason:
        raise Quarantined(reason)
    if may_be_photograph(header):
        refuse_face(image)


def refuse_face(image: NDArray[np.unsignedinteger[Any]], *, parts: bool = True) -> None:
    """The same for an image as displayed, of any unsigned type, gray or in colour."""
    if shows_face(_eight_bits(image), parts=parts):
        raise Quarantined(FACE)


def picture_of(stored: StoredPixels, number: int) -> Picture:
    """One frame as a viewer shows it, in its colours where it has any."""
    frame = stored.frames[number]
    with quarantining("unreadable pixel data"):
        if stored.kind == "PALETTE COLOR":
            return _eight_bits(apply_color_lut(frame, stored.dataset)[..., :3])
        if frame.ndim == 2:
            return _eight_bits(stored.displayed(number))
        if not stored.kind.startswith("YBR"):
            raised: NDArray[Any] = frame << (8 * frame.dtype.itemsize - stored.bits)
            return _eight_bits(raised)
        red_first = np.ascontiguousarray(_eight_bits(frame)[..., [0, 2, 1]])  # OpenCV wants red's chroma before blue's
        return np.asarray(cv2.cvtColor(red_first, cv2.COLOR_YCrCb2RGB))


def _eight_bits(image: NDArray[np.unsignedinteger[Any]]) -> Picture:
    return np.asarray(image >> (8 * image.dtype.itemsize - 8), np.uint8)
