from __future__ import annotations

import io

import numpy as np
from PIL import Image

from medveil.utility.pixel_damage.pictures import LONGEST, boxed, side_by_side


def opened(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def is_red(picture: np.ndarray) -> np.ndarray:
    return np.asarray((picture[..., 0] > 200) & (picture[..., 1] < 80))


def film() -> np.ndarray:
    return np.random.default_rng(2).integers(0, 4096, (600, 500)).astype(np.uint16)


def test_what_was_changed_is_boxed_and_not_drawn() -> None:
    changed = np.zeros((600, 500), bool)
    changed[100:141:10, 200:261:10] = True
    picture = opened(boxed(film(), changed))
    assert max(picture.shape) == LONGEST
    rows, columns = np.nonzero(is_red(picture))
    box = is_red(picture)[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    assert box[0].all() and box[-1].all() and box[:, 0].all() and box[:, -1].all()
    assert not box[1:-1, 1:-1].any()


def test_before_after_and_what_was_changed_lie_side_by_side() -> None:
    before = film() // 2
    after = before.copy()
    after[100:200, 100:200] = 4000
    first, second, third = np.split(opened(side_by_side(before, after, before != after)), 3, axis=1)
    scale = LONGEST / 600
    inside = (slice(int(110 * scale), int(190 * scale)),) * 2
    assert is_red(third)[inside].all() and not is_red(first).any() and not is_red(second).any()
    assert second[inside].min() > 230
    outside = (slice(int(300 * scale), None),) * 2
    assert (first[outside] == second[outside]).all()  # one scale of grays for both


def test_a_film_of_another_size_can_be_shown() -> None:
    before, after = film(), film()[:300]
    assert side_by_side(before, after, np.ones(before.shape, bool)).startswith(b"\x89PNG")
