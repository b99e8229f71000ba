"""Whether a picture shows a face: two small networks by others, in four turns and several sizes.

One proposes a place in a square of the picture; both look at that place again, close up and with room around it, and
the three answers are averaged. Anatomy may please one of them, but not all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.errors import InputError
from medveil.runtime.compiled import Compiled, compiled_tflite
from medveil.runtime.once import once
from medveil.weights.bundled import bundled

Picture = NDArray[np.uint8]  # gray, or red, green and blue
GRAY, COLOUR = 0.75, 0.35  # mean log odds from which on it is a face; radiographs and slices are gray
PROPOSED = -0.6  # log odds of a place that is looked at again
SMALLEST = 24  # pixels a side; in less nobody is recognised
LARGEST, DETAIL = 1024, 576  # pixels a side that are looked at, of the picture and of a square
CLOSE, WIDE = 1.6, 2.6  # sides of the places looked at again, of the face's own size
CELLS, CELL = 48, 4  # of the map of places, a side; pixels
FAR_INPUT, NEAR_INPUT = CELLS * CELL, 128  # pixels a side that the networks take
COLOURED = 24  # levels between the channels of a pixel
MOSTLY, PARTLY = 0.05, 0.002  # of the pixels, in colour: a photograph, a page with a photograph on it


class Networks(NamedTuple):
    far: Compiled
    near: Compiled


class Square(NamedTuple):
    """Middle and side, in pixels; it may reach beyond the picture."""

    x: float
    y: float
    side: float


def shows_face(picture: Picture, *, parts: bool = True) -> bool:
    """As displayed, of eight bits; without `parts`, faces that are small in it are not looked for."""
    if min(picture.shape[:2]) < SMALLEST:
        return False
    coloured = _coloured(picture)
    least = COLOUR if coloured > MOSTLY else GRAY
    return any(score >= least for score in face_scores(picture, small=parts and coloured > PARTLY))


def face_scores(picture: Picture, *, small: bool) -> Iterator[float]:
    """Mean log odds of every place that was looked at again; `small` looks for faces in parts of the picture too."""
    networks = _networks()
    picture = _at_most(picture, LARGEST)
    picture = picture if picture.ndim == 3 else np.repeat(picture[..., None], 3, axis=2)
    for square in _squares(picture.shape, small=small):
        part = _at_most(_cut(picture, square), DETAIL)
        for turn in range(4):
            turned = np.ascontiguousarray(np.rot90(part, turn))
            proposed, face = _best(networks.far, turned)
            if proposed >= PROPOSED:
                near = _cut(turned, face._replace(side=CLOSE * face.side))
                wide = _cut(turned, face._replace(side=WIDE * face.side))
                yield (proposed + _odds(networks.near, near) + _best(networks.far, wide)[0]) / 3


def _coloured(picture: Picture) -> float:
    """The share of pixels in colour, of a sample."""
    if picture.ndim == 2:
        return 0.0
    sample = picture[:: max(1, picture.shape[0] // 256), :: max(1, picture.shape[1] // 256)].astype(np.int16)
    return float((np.ptp(sample, axis=2) > COLOURED).mean())


def _at_most(picture: Picture, side: int) -> Picture:
    factor = side / max(picture.shape[:2])
    if factor >= 1:
        return picture
    size = [max(1, round(length * factor)) for length in picture.shape[1::-1]]
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA))


def _squares(shape: tuple[int, ...], *, small: bool) -> Iterator[Square]:
    """The whole, the whole from farther away, then parts that overlap."""
    rows, columns = shape[:2]
    longer = max(rows, columns)
    yield Square(columns / 2, rows / 2, longer)
    yield Square(columns / 2, rows / 2, 1.7 * longer)  # a face that fills the picture is too near otherwise
    for share, places in ((0.6, (0.3, 0.7)), (0.4, (0.2, 0.5, 0.8))) if small else ():
        for down in places:
            for across in places:
                yield Square(across * columns, down * rows, share * longer)


def _cut(picture: Picture, square: Square) -> Picture:
    """What lies in the square; black beyond the picture."""
    side = max(8, round(square.side))
    left, top = round(square.x - side / 2), round(square.y - side / 2)
    rows, columns = picture.shape[:2]
    part = np.zeros((side, side, 3), np.uint8)
    y0, y1, x0, x1 = max(0, top), min(rows, top + side), max(0, left), min(columns, left + side)
    if y0 < y1 and x0 < x1:
        part[y0 - top : y1 - top, x0 - left : x1 - left] = picture[y0:y1, x0:x1]
    return part


def _best(far: Compiled, part: Picture) -> tuple[float, Square]:
    """The log odds of the likeliest place, and the face there."""
    answer = far(_input(part, FAR_INPUT))[0]
    at = int(answer[:, -1].argmax())
    row, column = divmod(at, CELLS)
    x, y, width, height = (float(value) for value in answer[at, :4])
    scale = part.shape[0] / FAR_INPUT
    middle = (column + 0.5) * CELL + x, (row + 0.5) * CELL + y
    return float(answer[at, -1]), Square(middle[0] * scale, middle[1] * scale, max(width, height, 1.0) * scale)


def _odds(near: Compiled, part: Picture) -> float:
    return float(near(_input(part, NEAR_INPUT))[0, :, -1].max())


def _input(part: Picture, side: int) -> NDArray[np.float32]:
    shrinking = part.shape[0] > side
    scaled = cv2.resize(part, (side, side), interpolation=cv2.INTER_AREA if shrinking else cv2.INTER_LINEAR)
    return (scaled.astype(np.float32) / np.float32(127.5) - 1)[None]


@once
def _networks() -> Networks:
    paths = [bundled("blazeface-full-range"), bundled("blazeface-short-range")]
    try:
        return Networks(*(compiled_tflite(str(path), threads=1) for path in paths))
    except RuntimeError:
        raise InputError(f"{paths[0].parent} does not hold the search for faces; reinstall medveil") from None
