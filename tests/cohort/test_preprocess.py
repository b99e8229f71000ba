from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image, ImageOps

from medveil.cohort.preprocess import PIPELINES, colour_planes, linkage_224, to_8_bit


@given(arrays(np.uint16, st.tuples(st.integers(1, 8), st.integers(1, 8))))
def test_8_bit_spans_the_full_range_and_keeps_order(image: np.ndarray) -> None:
    small = to_8_bit(image)
    if image.min() < image.max():
        assert (small.min(), small.max()) == (0, 255)
    order = np.argsort(image.ravel(), kind="stable")
    assert (np.diff(small.ravel()[order].astype(int)) >= 0).all()


def test_equalisation_agrees_with_an_independent_one() -> None:
    """Pillow equalises by its own formula; at the pipeline's size both may differ by rounding only."""
    rng = np.random.default_rng(0)
    image = np.clip(rng.normal(900, 200, (224, 224)), 0, 4095).astype(np.uint16)
    theirs = np.asarray(ImageOps.equalize(Image.fromarray(to_8_bit(image)))).astype(int)
    ours = linkage_224(image).astype(int)
    assert np.abs(ours - theirs).mean() < 2.5


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int16, np.float32])
def test_any_depth_gives_224_pixels_of_8_bit(dtype: type) -> None:
    image = (np.arange(300 * 400).reshape(300, 400) % 251).astype(dtype)
    out = PIPELINES["linkage-224"](image)
    assert out.shape == (224, 224)
    assert out.dtype == np.uint8


def test_gain_and_offset_do_not_matter() -> None:
    image = np.random.default_rng(1).integers(0, 255, (64, 64)).astype(np.uint16)
    assert np.array_equal(linkage_224(image), linkage_224(image * 16 + 7))


def test_a_flat_image_stays_flat() -> None:
    assert linkage_224(np.full((32, 32), 7, np.uint16)).max() == 0


GROUND, INK = (0, 90, 0), (177, 0, 0)  # of one brightness


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_what_differs_in_colour_alone_is_seen(dtype: type) -> None:
    scale = np.iinfo(dtype).max // 255
    image = np.full((8, 9, 3), GROUND, np.uint32) * scale
    image[3, 4] = np.array(INK) * scale
    planes = colour_planes(image.astype(dtype))
    assert any(abs(int(plane[3, 4]) - int(plane[0, 0])) > 40 * scale for plane in planes)


def test_gray_images_have_no_planes_of_colour() -> None:
    gray = np.random.default_rng(1).integers(0, 256, (8, 9, 1), dtype=np.uint8)
    assert colour_planes(np.repeat(gray, 3, axis=2)) == []
