"""What in two images made them look like the same person: attention maps of the strongest links.

Only the maps are shown, side by side, unless pictures are asked for: a report must not carry anybody's X-ray by
default.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.attacks.identity.embedded_images import Embedder, Image
from medveil.cohort.preprocess import resize, to_8_bit
from medveil.finding import Picture

SIDE = 96
GAP = 8
PLACES = 8  # along each side of a map that is shown alone
_WITH = "The two X-rays of the link; what made them alike is bright."
_WITHOUT = "The two maps of the link, without the X-rays; bright is what made them alike. Top is the patient's head."


def attention_picture(embedder: Embedder, one: Image, other: Image, *, title: str, show_images: bool) -> Picture:
    """Both maps of a link in one picture, over the images only if asked."""
    maps = embedder.attention(one, other)
    shown = [_shown(heat, image if show_images else None) for heat, image in zip(maps, (one, other), strict=True)]
    gap = np.zeros((SIDE, GAP, *shown[0].shape[2:]), np.uint8)
    written, png = cv2.imencode(".png", np.hstack([shown[0], gap, shown[1]]), [cv2.IMWRITE_PNG_COMPRESSION, 9])
    assert written
    alt = "Two attention maps side by side" + (" over the X-rays they belong to" if show_images else "")
    return Picture(title=title, png=png.tobytes(), alt=alt, note=_WITH if show_images else _WITHOUT)


def _shown(heat: NDArray[np.float32], image: Image | None) -> NDArray[np.uint8]:
    if image is None:
        return map_alone(heat, SIDE)
    gray = (np.clip(resize(heat, SIDE), 0, 1) * 255).astype(np.uint8)
    colour = cv2.applyColorMap(gray, cv2.COLORMAP_INFERNO).astype(np.float32)
    under = cv2.cvtColor(to_8_bit(resize(image, SIDE)), cv2.COLOR_GRAY2BGR).astype(np.float32)
    return np.asarray(np.clip(0.6 * under + 0.4 * colour, 0, 255), dtype=np.uint8)


def map_alone(heat: NDArray[np.float32], side: int) -> NDArray[np.uint8]:
    """A map without its film, no finer than the last layer of a network that looks at 256 pixels tells places apart:
    those of early layers and of large films are pictures of the film, with its ribs and written words."""
    places = cv2.resize(heat, (PLACES, PLACES), interpolation=cv2.INTER_AREA)
    drawn = cv2.resize(places / max(float(places.max()), 1e-12), (side, side), interpolation=cv2.INTER_LINEAR)
    # sixteen grays are enough, and keep the file small
    return np.asarray(np.clip(drawn * 255, 0, 255), dtype=np.uint8) & np.uint8(0xF0)
