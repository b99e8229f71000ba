"""The pictures of a film for the review page: whole, before and after, and each region at full size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.parts import Box
from medveil.release.clean.reviewed import FilmChoices
from medveil.report.review_page import Kind, Region, Shot

SHOWN = 900  # pixels a side
MOST_CLOSE = 40  # regions of a frame that are also shown at full size
_AROUND = 24  # pixels around a region
_RIM = 8  # pixels that paint may reach beyond what was drawn
_LARGEST = 1024  # pixels a side of what is shown at full size
_QUALITY = 82

Picture = NDArray[Any]  # rows x columns of any unsigned type, or x 3 in colour


@dataclass(frozen=True)
class FrameOfFilm:
    """One frame before and after, of one size, and what was painted or doubtful in it."""

    number: int
    before: Picture
    after: Picture
    painted: Sequence[Box] = ()
    doubtful: Sequence[Box] = ()
    left: Sequence[Box] = ()  # where text is still read
    asks: bool = False  # whether a person must say that it may be released

    def shot(self, choices: FilmChoices) -> Shot:
        """As it is shown; what an earlier review chose of this frame stands as it was chosen."""
        chosen = choices.get(self.number)
        kept, drawn = (chosen.keep, chosen.remove) if chosen is not None else ((), ())
        found: list[tuple[Box, Kind]] = [(box, "doubtful") for box in self.doubtful if box not in (*kept, *drawn)]
        found += [(box, "left") for box in self.left if box not in (*kept, *drawn)]
        found += [(box, "painted") for box in self.painted if not any(_is_paint_of(box, one) for one in drawn)]
        found += [(box, "kept") for box in kept]
        height, width = self.before.shape[:2]
        before, after = _eight_bits(self.before, self.after)
        small = max(height, width) <= SHOWN
        return Shot(
            self.number,
            (width, height),
            _jpeg(before, SHOWN),
            _jpeg(after, SHOWN),
            tuple(
                _region(box, kind, None if small or at >= MOST_CLOSE else before, after)
                for at, (box, kind) in enumerate(found)
            ),
            tuple(drawn),
            asks=self.asks or (chosen is not None and chosen.accept),
        )


def _region(box: Box, kind: Kind, before: Picture | None, after: Picture) -> Region:
    if before is None:
        return Region(box, kind)
    height, width = before.shape[:2]
    left, top, right, bottom = box
    around = max(0, left - _AROUND), max(0, top - _AROUND), min(width, right + _AROUND), min(height, bottom + _AROUND)
    if around[0] >= around[2] or around[1] >= around[3]:  # nothing of the film
        return Region(box, kind)
    close = np.s_[around[1] : around[3], around[0] : around[2]]
    return Region(box, kind, around, _jpeg(before[close], _LARGEST), _jpeg(after[close], _LARGEST))


def _is_paint_of(box: Box, drawn: Box) -> bool:
    """Whether this was painted because a person drew it: around what was drawn, and little more."""
    left, top, right, bottom = drawn
    holds = box[0] <= left and box[1] <= top and box[2] >= right and box[3] >= bottom
    return holds and box[2] - box[0] <= 2 * (right - left + _RIM) and box[3] - box[1] <= 2 * (bottom - top + _RIM)


def _eight_bits(*pictures: Picture) -> Iterable[NDArray[np.uint8]]:
    """In the same scale on both sides: what is painted over must not make the rest look different."""
    top = max(int(picture.max(initial=0)) for picture in pictures)
    low = min(int(picture.min(initial=top)) for picture in pictures)
    for picture in pictures:
        scaled = (picture.astype(np.float32) - low) * (255 / max(top - low, 1))
        yield scaled.astype(np.uint8)


def _jpeg(picture: NDArray[np.uint8], largest: int) -> bytes:
    scale = min(1.0, largest / max(picture.shape[:2]))
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else picture
    shown = small if small.ndim == 2 else small[..., ::-1]  # as OpenCV writes
    return bytes(cv2.imencode(".jpg", shown, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1].tobytes())
