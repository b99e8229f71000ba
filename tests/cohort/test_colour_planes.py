from __future__ import annotations

import numpy as np
import pytest

from medveil.cohort.colour_planes import colour_planes

GROUND, INK = (0, 90, 0), (177, 0, 0)  # of one brightness


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_what_differs_in_colour_alone_is_seen(dtype: type) -> None:
    scale = np.iinfo(dtype).max // 255
    image = np.full((8, 9, 3), GROUND, np.uint32) * scale
    image[3, 4] = np.array(INK) * scale
    planes = colour_planes(image.astype(dtype))
    assert any(abs(int(plane[3, 4]) - int(plane[0, 0])) > 40 * scale for plane in planes)


def test_gray_images_have_none() -> None:
    gray = np.random.default_rng(1).integers(0, 256, (8, 9, 1), dtype=np.uint8)
    assert colour_planes(np.repeat(gray, 3, axis=2)) == []
