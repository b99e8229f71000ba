"""The linkage paper's preparation of an image at any side. It stands apart so that workers need not load torch."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from medveil.cohort.preprocess import resize, to_8_bit


def equalised(side: int, image: NDArray[Any]) -> NDArray[np.uint8]:
    """Min-max, 8 bit, histogram equalisation, `side` × `side` pixels; with 224 the pipeline `linkage-224`."""
    return np.asarray(resize(cv2.equalizeHist(to_8_bit(image)), side), dtype=np.uint8)
