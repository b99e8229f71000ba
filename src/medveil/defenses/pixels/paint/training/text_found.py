"""Where the text detector finds text in training images: masks to train on, as the paper takes them from an OCR engine.

What lies under such a mask is the text itself, so a generator that comes close to it paints something like text: the
rate of words that can be read after filling tells. Masks drawn at random have tissue under them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medveil.defenses.pixels.paint.training.images import TrainingImages
from medveil.errors import InputError


@dataclass(frozen=True)
class TextFound:
    """`masks` (n x 512 x 512, 8 bits) lie like the pixels of the images; `rows` says whose they are."""

    masks: NDArray[np.uint8]
    rows: NDArray[np.int64]

    def of(self, row: int, rng: np.random.Generator) -> tuple[NDArray[np.uint8], int]:
        """The mask of an image and the row it is from: the image's own, or another's where it has none."""
        own = np.searchsorted(self.rows, row)
        if own == len(self.rows) or self.rows[own] != row:
            own = rng.integers(len(self.rows))
        return self.masks[own], int(self.rows[own])


def text_found(images: TrainingImages, progress: Callable[[int, int], None] | None = None) -> TextFound:
    """By the bundled detector; what it only suspects counts too, as every text that an OCR engine sees does."""
    from medveil.defenses.pixels.find.detector import find_lines
    from medveil.defenses.pixels.paint.mask import soft_mask

    masks, rows = [], []
    for row, (height, width) in enumerate(images.shapes.tolist()):
        lines = find_lines(np.ascontiguousarray(images.pixels[row, :height, :width]))
        if lines:
            mask = np.zeros(images.pixels.shape[1:], np.uint8)
            mask[:height, :width] = np.rint(255 * soft_mask(lines, (height, width)))
            masks.append(mask)
            rows.append(row)
        if progress is not None:
            progress(row + 1, len(images.shapes))
    if not rows:
        raise InputError("no text was found in the images, so there are no masks to train on; choose `--masks drawn`")
    return TextFound(np.stack(masks), np.array(rows))
