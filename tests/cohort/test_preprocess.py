from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image, ImageOps

from medveil.cohort.preprocess import PIPELINES, colour_planes, equalised_224, linkage_224, to_8_bit


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


@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int16, np.int32, np.float32])
def test_any_depth_gives_224_pixels_of_8_bit(dtype: type, name: str) -> None:
    image = (np.arange(300 * 400).reshape(300, 400) % 251).astype(dtype)
    out = PIPELINES[name](image)
    assert out.shape == (224, 224)
    assert out.dtype == np.uint8


def test_gain_and_offset_do_not_matter() -> None:
    image = np.random.default_rng(1).integers(0, 255, (64, 64)).astype(np.uint16)
    assert np.array_equal(linkage_224(image), linkage_224(image * 16 + 7))


@pytest.mark.parametrize("pipeline", PIPELINES.values(), ids=PIPELINES)
def test_a_flat_image_stays_flat(pipeline: Callable[[np.ndarray], np.ndarray]) -> None:
    assert pipeline(np.full((32, 32), 7, np.uint16)).max() == 0


def test_the_published_order_resizes_first() -> None:
    """Written out as the paper has it: resize, min-max, 8 bit, equalise."""
    image = np.random.default_rng(2).gamma(2, 300, (448, 672)).astype(np.uint16)
    small = image.astype(np.float64).reshape(224, 2, 224, 3).mean(axis=(1, 3))
    gray = ((small - small.min()) / (small.max() - small.min()) * 255).astype(np.uint8)
    levels = np.cumsum(np.bincount(gray.ravel(), minlength=256))
    first = levels[levels > 0][0]
    theirs = np.round((levels - first) / (gray.size - first) * 255)[gray]
    assert np.abs(linkage_224(image) - theirs).mean() < 0.1
    assert np.abs(equalised_224(image) - theirs).mean() > 5


def test_one_hot_pixel_takes_less_of_the_range_when_it_is_resized_first() -> None:
    image = np.tile(np.linspace(0, 1000, 896), (896, 1)).astype(np.uint16)
    image[5, 5] = 65535
    levels = {name: len(np.unique(pipeline(image)[8:])) for name, pipeline in PIPELINES.items()}
    assert levels["linkage-224"] > 3 * levels["equalised-224"]


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
