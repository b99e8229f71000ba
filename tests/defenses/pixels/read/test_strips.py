from __future__ import annotations

from itertools import pairwise

import numpy as np

from medveil.defenses.pixels.read.reader import (
    APART,
    BEYOND,
    COLUMN,
    HEIGHT,
    SHEET,
    contrasted,
    light_on_dark,
    side_by_side,
)


def test_contrast_is_full_whatever_the_exposure_and_heeds_no_speck():
    strip = np.full((HEIGHT, 64), 90, np.uint8)
    strip[8:24, 20:30] = 100
    strip[0, 0] = 255
    values = contrasted(strip)
    assert (values[0, 1], values[10, 25], values[0, 0]) == (-1, 1, BEYOND)


def test_an_empty_strip_has_no_contrast():
    assert np.unique(contrasted(np.full((HEIGHT, 40), 7, np.uint8))).tolist() == [-1]


def test_dark_writing_is_turned_light():
    strip = np.full((HEIGHT, 64), 200, np.uint8)
    strip[8:24, 20:30] = 20
    values = light_on_dark(contrasted(strip))
    assert (values[0, 0], values[10, 25]) == (-1, 1)
    np.testing.assert_array_equal(values, light_on_dark(contrasted(255 - strip)))


def test_each_strip_keeps_its_columns():
    strips = [np.random.default_rng(width).integers(0, 256, (HEIGHT, width), dtype=np.uint8) for width in (33, 8, 250)]
    sheet, columns = side_by_side(strips)
    assert sheet.shape[3] % SHEET == 0
    for strip, part in zip(strips, columns, strict=True):
        place = sheet[0, 0, :, part.start * COLUMN :]
        np.testing.assert_array_equal(place[:, : strip.shape[1]], light_on_dark(contrasted(strip)))
        assert not place[:, strip.shape[1] : strip.shape[1] + APART].any()
    assert all(one.stop < other.start for one, other in pairwise(columns))
