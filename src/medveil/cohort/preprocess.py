"""From an image to what a network or a reader sees: planes of colour, 8 bits, one size, and pipelines by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[Any]
_LEAST_COLOUR = 8 / 255  # of the range: fainter differences come from compression


def to_8_bit(image: Image) -> NDArray[np.uint8]:
    """Subtract the minimum, divide by the maximum of the shifted image, scale to 0..255."""
    shifted = image.astype(np.float32) - np.float32(image.min())
    top = shifted.max()
    scaled = shifted / top if top > 0 else shifted
    return (np.clip(scaled, 0, 1) * 255).astype(np.uint8)


def resize(image: Image, side: int) -> Image:
    """To a square of `side` pixels, averaging where it shrinks."""
    shrinks = side < min(image.shape)
    return np.asarray(cv2.resize(image, (side, side), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR))


def equalised(side: int, image: Image) -> NDArray[np.uint8]:
    """Min-max, 8 bit, histogram equalisation, `side` × `side` pixels."""
    return resize(cv2.equalizeHist(to_8_bit(image)), side)


def equalised_224(image: Image) -> NDArray[np.uint8]:
    """Equalised, then 224 × 224 pixels: what the bundled encoder of pairs was trained on."""
    return equalised(224, image)


def resized_first(side: int, image: Image) -> NDArray[np.uint8]:
    """`side` × `side` pixels, min-max, 8 bit, histogram equalisation, in the linkage paper's order.

    Min and max are then those of the small image, so that a few hot pixels or a marker weigh less, and what the network
    sees has all gray levels alike; equalised before it shrinks, it no longer has.
    """
    return np.asarray(cv2.equalizeHist(to_8_bit(resize(image.astype(np.float32), side))))


def linkage_224(image: Image) -> NDArray[np.uint8]:
    """The linkage paper's."""
    return resized_first(224, image)


def colour_planes(rgb: NDArray[Any]) -> list[NDArray[Any]]:
    """Red and blue, each against green: with the gray, all there is. Flat ones are left out.

    Text may differ from its ground in colour alone.
    """
    values = rgb[..., :3].astype(np.int32)
    top = np.iinfo(rgb.dtype).max
    planes = ((values[..., channel] - values[..., 1] + top >> 1).astype(rgb.dtype) for channel in (0, 2))
    return [plane for plane in planes if np.ptp(plane) > _LEAST_COLOUR * top]


PIPELINES: dict[str, Callable[[Image], NDArray[np.uint8]]] = {
    "linkage-224": linkage_224,
    "equalised-224": equalised_224,
}
