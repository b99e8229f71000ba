"""The image of a question as models see it: 8 bits, gray, or colour where it has some."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from medveil.cohort.images import load_colours, load_image
from medveil.cohort.preprocess import to_8_bit
from medveil.utility.vqa.question import Image


def load_picture(root: Path, paths: Mapping[str, str], image_id: str) -> Image:
    """The image of this id, from a file under `root`."""
    colours = load_colours(root, paths[image_id])
    return colours if colours is not None else as_8_bit(load_image(root, paths[image_id]))


def as_8_bit(image: np.ndarray) -> Image:
    """As it is, or stretched to 8 bits where it has more."""
    return image if image.dtype == np.uint8 else to_8_bit(image)
