"""Filling: the rest untouched, nothing owed to what was there, the same every time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from safetensors.torch import save_file

from medveil.defenses.pixels.paint import networks
from medveil.defenses.pixels.paint.fill import How, fill
from medveil.defenses.pixels.paint.generator import load_generator, save_generator
from medveil.defenses.pixels.paint.generator_file import check_generator
from medveil.defenses.pixels.paint.windows import AROUND, CELL, find_windows
from medveil.errors import InputError, MedveilError, SettingsError

Shaded = Callable[..., NDArray[np.float32]]
MOST = 9000
WAYS: tuple[How, ...] = ("generator", "classical", "black")


def boxes(shape: tuple[int, int], *places: tuple[int, int, int, int]) -> NDArray[np.float32]:
    mask = np.zeros(shape, np.float32)
    for top, left, height, width in places:
        mask[top : top + height, left : left + width] = 1
    return cv2.GaussianBlur(mask, (5, 5), 0)


@pytest.mark.parametrize("how", WAYS)
@settings(max_examples=15)
@given(data=st.data())
def test_filling_owes_nothing_to_what_was_there(shaded: Shaded, untrained: Path, how: How, data: st.DataObject) -> None:
    height, width = data.draw(st.integers(9, 120)), data.draw(st.integers(9, 120))
    places = data.draw(
        st.lists(
            st.tuples(st.integers(0, height), st.integers(0, width), st.integers(0, 40), st.integers(0, 90)), max_size=4
        )
    )
    mask = boxes((height, width), *places)
    image = shaded(height, width, data.draw(st.integers(0, 50)))
    other = np.where(mask > 0, shaded(height, width, 99), image).astype(np.float32)
    key = data.draw(st.binary(max_size=99))
    filled = fill(image, mask, how=how, key=key, generator=untrained).image
    assert np.array_equal(filled, fill(other, mask, how=how, key=key, generator=untrained).image)
    assert np.array_equal(filled[mask == 0], image[mask == 0])
    assert filled.dtype == np.float32 and filled.min() >= 0 and filled.max() <= 1


@pytest.mark.parametrize("how", ["generator", "classical"])
def test_the_key_changes_the_grain_alone(shaded: Shaded, untrained: Path, how: How) -> None:
    image, mask = shaded(128, 160), boxes((128, 160), (40, 30, 6, 80))
    one, same, two = (fill(image, mask, how=how, key=key, generator=untrained).image for key in (b"1", b"1", b"2"))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, two)
    assert np.abs(one - two).max() < 0.1


def test_a_long_key_counts_as_far_as_the_hash_takes_it(shaded: Shaded) -> None:
    image, mask = shaded(64, 64), boxes((64, 64), (20, 20, 4, 20))
    assert not np.array_equal(fill(image, mask, key=b"a" * 99).image, fill(image, mask, key=b"b" * 99).image)


def test_black_is_black(shaded: Shaded) -> None:
    image, mask = shaded(40, 40), boxes((40, 40), (10, 10, 8, 20))
    assert (fill(image, mask, how="black").image[mask > 0] == 0).all()


def test_a_smooth_surface_is_continued() -> None:
    y, x = np.mgrid[0:120, 0:200].astype(np.float32)
    image = 0.2 + 0.001 * x + 0.002 * y
    mask = boxes(image.shape, (40, 50, 20, 90))
    assert np.abs(fill(image, mask, how="classical").image - image).max() < 0.02


@pytest.mark.parametrize("how", ["generator", "classical"])
def test_the_edge_is_met(untrained: Path, how: How) -> None:
    rng = np.random.default_rng(2)
    image = (0.5 + 0.02 * rng.standard_normal((200, 300), np.float32)).astype(np.float32)
    mask = boxes(image.shape, (80, 60, 10, 160))
    filled = fill(image, mask, how=how, generator=untrained).image
    edge = (cv2.dilate(mask, np.ones((5, 5))) > 0) & (mask == 0)
    rim = (mask > 0) & (cv2.erode(mask, np.ones((5, 5))) == 0)
    assert abs(filled[rim].mean() - image[edge].mean()) < 0.01


def letters(shape: tuple[int, int]) -> NDArray[np.float32]:
    """Strokes as masks have them: five pixels thick, in the middle of an image."""
    mask = np.zeros(shape, np.uint8)
    place = (shape[1] // 8, shape[0] // 2)
    cv2.putText(mask, "HBE08", place, cv2.FONT_HERSHEY_SIMPLEX, shape[1] / 150, 1, thickness=5)
    return mask.astype(np.float32)


def detail(image: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    levels = [image, *(cv2.GaussianBlur(image, (0, 0), sigma) for sigma in (0.6, 1.2, 2.4))]
    return [np.abs(finer - coarser) for finer, coarser in pairwise(levels)]


@pytest.mark.parametrize("smooth", [0, 0.8])
def test_grain_is_like_the_surroundings_in_every_band(smooth: float) -> None:
    noise = np.random.default_rng(4).standard_normal((300, 400), np.float32)
    noise = cv2.GaussianBlur(noise, (0, 0), smooth) if smooth else noise
    image = (0.5 + 0.02 * noise / noise.std()).astype(np.float32)
    mask = letters(image.shape)
    filled = fill(image, mask).image
    for made, was in zip(detail(filled), detail(image), strict=True):
        assert 0.75 < made[mask > 0].mean() / was[mask > 0].mean() < 1.25


def test_an_edge_is_no_grain() -> None:
    rng = np.random.default_rng(5)
    image = np.where(np.arange(400) < 200, 0.2, 0.8).astype(np.float32)[None].repeat(300, 0)
    image += 0.004 * rng.standard_normal(image.shape, np.float32)
    mask = letters(image.shape)
    one, two = (fill(image, mask, key=key).image for key in (b"1", b"2"))
    assert np.abs(one - two)[mask > 0].std() < 3 * 0.004


def test_a_border_stays_black_beside_a_film() -> None:
    image = np.where(np.arange(400) < 200, 0.0, 0.7).astype(np.float32)[None].repeat(300, 0)
    image[:, 200:] += 0.01 * np.random.default_rng(6).standard_normal((300, 200), np.float32)
    mask = boxes(image.shape, (60, 120, 9, 160), (150, 190, 60, 8))
    filled = fill(image, mask).image
    assert filled[:, :200].max() < 0.02
    assert filled[:, 210:].min() > 0.5


def test_a_large_hole_is_left_plain_and_counted() -> None:
    image = (0.5 + 0.02 * np.random.default_rng(7).standard_normal((480, 480), np.float32)).astype(np.float32)
    mask = boxes(image.shape, (100, 100, 60, 60), (300, 100, 10, 100), (400, 100, 10, 100))
    filled = fill(image, mask)
    assert filled.plain == 1
    assert filled.image[110:150, 110:150].std() < 0.005 < 0.015 < filled.image[300:310, 100:200].std()
    covered = boxes(image.shape, *((20 * row, 20, 6, 400) for row in range(1, 20)))
    assert fill(image, covered).plain == 19
    assert fill(image, mask, how="black").plain == 0


def test_where_there_is_no_grain_none_is_added() -> None:
    image = np.zeros((100, 100), np.float32)
    assert (fill(image, boxes(image.shape, (30, 20, 14, 50)), how="classical").image == 0).all()


def test_an_image_that_is_all_mask_is_filled(shaded: Shaded, untrained: Path) -> None:
    image, mask = shaded(50, 70), np.ones((50, 70), np.float32)
    for how in WAYS:
        assert np.isfinite(fill(image, mask, how=how, generator=untrained).image).all()


@settings(max_examples=30)
@given(data=st.data())
def test_windows_hold_every_hole_with_surroundings_and_the_cost_is_bounded(data: st.DataObject) -> None:
    hole = np.zeros((data.draw(st.integers(8, 700)), data.draw(st.integers(8, 700))), bool)
    for _ in range(data.draw(st.integers(1, 6))):
        top, left = data.draw(st.integers(0, hole.shape[0] - 1)), data.draw(st.integers(0, hole.shape[1] - 1))
        hole[top : top + data.draw(st.integers(1, 300)), left : left + data.draw(st.integers(1, 300))] = True
    by, windows = find_windows(hole, most=MOST, thickest=20)
    covered = np.zeros(hole.shape, int)
    for left, top, right, bottom in windows:
        assert (right - left) % (CELL * by) == 0 and (bottom - top) % (CELL * by) == 0
        covered[max(0, top) : bottom, max(0, left) : right] += 1
    assert covered.max() == 1
    around = np.ones((2 * AROUND * CELL * by + 1,) * 2, np.uint8)
    assert (covered[cv2.dilate(hole.astype(np.uint8), around) > 0] == 1).all()
    assert sum((right - left) * (bottom - top) for left, top, right, bottom in windows) <= MOST * by * by


@pytest.mark.parametrize(
    "image, mask, how, error",
    [
        (np.zeros((4, 4, 3)), np.zeros((4, 4, 3)), "black", InputError),
        (np.zeros((4, 4, 2)), np.zeros((4, 4)), "black", InputError),
        (np.zeros((4, 4)), np.zeros((4, 5)), "black", InputError),
        (np.zeros((0, 4)), np.zeros((0, 4)), "black", InputError),
        (np.full((4, 4), np.nan), np.zeros((4, 4)), "classical", InputError),
        (np.zeros((4, 4)), np.full((4, 4), np.nan), "classical", InputError),
        (np.zeros((4, 4)), np.zeros((4, 4)), "magic", SettingsError),
    ],
)
def test_what_cannot_be_filled_is_refused(
    image: NDArray[np.float32], mask: NDArray[np.float32], how: str, error: type[MedveilError]
) -> None:
    with pytest.raises(error):
        fill(image.astype(np.float32), mask.astype(np.float32), how=how)  # type: ignore[arg-type]


def test_a_generator_comes_back_from_its_file(untrained: Path, tmp_path: Path) -> None:
    generator = load_generator(untrained)
    image, mask = torch.rand(1, 1, 16, 16), torch.ones(1, 1, 16, 16)
    save_generator(tmp_path / "again.safetensors", generator)
    again = load_generator(tmp_path / "again.safetensors")
    assert again.architecture == generator.architecture
    assert torch.equal(generator(image, mask), again(image, mask))


def test_files_that_are_no_generator_are_refused(untrained: Path, tmp_path: Path) -> None:
    save_file({"w": torch.zeros(2)}, tmp_path / "other.safetensors")
    (tmp_path / "cut.safetensors").write_bytes(untrained.read_bytes()[:500])
    for name in ("other", "cut", "none"):
        with pytest.raises(InputError, match="not a generator"):
            load_generator(tmp_path / f"{name}.safetensors")
        with pytest.raises(InputError, match="not a generator"):
            check_generator(tmp_path / f"{name}.safetensors")
    check_generator(untrained)


@pytest.mark.parametrize("planes", [(), (3,)])
def test_generators_of_gray_and_of_colour_paint_either(
    untrained: Path, coloured: Path, planes: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(8)
    image = (0.5 + 0.01 * rng.standard_normal((64, 96, *planes), np.float32)).astype(np.float32)
    if planes:
        image *= np.array([1, 0.5, 0.2], np.float32)
    mask = boxes((64, 96), (30, 20, 5, 40))
    for path in (untrained, coloured):
        done = fill(image, mask, how="generator", generator=path)
        assert not done.without_generator
        assert np.array_equal(done.image[mask == 0], image[mask == 0])
        assert np.abs(done.image - np.median(image, (0, 1))).max() < 0.2


def test_without_a_generator_the_classical_way_fills_and_it_is_told(
    shaded: Shaded, untrained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    image, mask = shaded(80, 80), boxes((80, 80), (30, 20, 5, 40))
    classical = fill(image, mask).image

    def assert_told(path: Path) -> None:
        caplog.clear()
        done = fill(image, mask, how="generator", generator=path)
        assert done.without_generator
        assert np.array_equal(done.image, classical)
        assert "without it" in caplog.text and str(tmp_path) not in caplog.text

    assert_told(tmp_path / "missing.safetensors")
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "openvino", None)
        again = tmp_path / "again.safetensors"
        again.write_bytes(untrained.read_bytes())
        assert_told(again)

    def broken(path: Path) -> networks.Network:
        def paint(*_: NDArray[np.float32]) -> NDArray[np.float32]:
            raise RuntimeError

        return paint

    monkeypatch.setattr("medveil.defenses.pixels.paint.fill.load_network", broken)
    done = fill(image, mask, how="generator", generator=untrained)
    assert done.without_generator and np.isfinite(done.image).all()


def test_the_classical_way_needs_no_torch() -> None:
    program = """
import sys
import numpy as np
from medveil.defenses.pixels.paint.frame import Filling, paint
mask = np.zeros((64, 64), np.float32)
mask[20:24, 10:40] = 1
paint(np.arange(4096, dtype=np.uint16).reshape(64, 64), mask, "MONOCHROME2", None, Filling("classical"))
assert not {"torch", "openvino"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True)
