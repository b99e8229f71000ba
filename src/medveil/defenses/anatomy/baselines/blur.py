"""`PixelBlur`: a Gaussian blur of the whole film."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.ndimage import gaussian_filter

from medveil.defenses.anatomy.batches import check
from medveil.defenses.anatomy.method import Film, Pixels
from medveil.parts import Guarantee


class PixelBlur:
    """Blurs a film, gray or in colour; nothing in it is random."""

    name = "blur"
    title = "Pixel-Blur"
    unit = "pixels of standard deviation at 256 pixels a side"
    levels = (1.0, 2.0, 5.0, 10.0, 20.0)

    def __init__(self, *, weights: Path | None = None, device: str = "cpu") -> None:
        """There is nothing to load, and the processor does it."""

    def bits(self, level: float) -> None:
        return None

    def guarantee(self, level: float) -> Guarantee:
        return Guarantee("none", "a blur takes detail away and promises nothing: who learns blurred films sees through")

    def protect(self, films: Sequence[Film], level: float, chance: Sequence[np.random.Generator]) -> list[Pixels]:
        check(films, chance, colour=True)
        return [_blurred(film.pixels, level) for film in films]


def _blurred(pixels: Pixels, sigma: float) -> Pixels:
    spread = (sigma, sigma, 0)[: pixels.ndim]  # colours stay apart
    return np.rint(gaussian_filter(pixels.astype(np.float32), spread, mode="nearest")).astype(np.uint8)
