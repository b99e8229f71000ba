from __future__ import annotations

import numpy as np

from recipes.films import packed, unpacked


def test_films_come_back_in_order() -> None:
    films = [np.full((32, 32), level, np.uint8) for level in (10, 120, 250)]
    again = unpacked(*packed(films))
    assert again.shape == (3, 32, 32)
    assert np.abs(again.astype(int) - np.stack(films)).max() <= 3
