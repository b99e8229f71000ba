"""Filling: the rest untouched, nothing owed to what was there, the same every time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from safetensors.torch import save_file

from medveil.defenses.pixels.paint.fill import fill
from medveil.defenses.pixels.paint.generator import Architecture, Generator, load_generator, save_generator
from medveil.defenses.pixels.paint.windows import AROUND, CELL, find_windows
from medveil.errors import InputError, MedveilError, SettingsError

Shaded = Callable[..., NDArray[np.float32]]
MOST = 9000
WAYS = ("generator", "classical", "black")


def boxes(shape: tuple[int, int], *places: tuple[int, int, int, int]) -> NDArray[np.float32]:
    mask = np.zeros(shape, np.float32)
    for top, left, height, width in places:
        mask[top : top + height, left : left + width] = 1
    return cv2.GaussianBlur(mask, (5, 5), 0)


@pytest.mark.parametrize("how", WAYS)
@settings(max_examples=15)
@given(data=st.data())
def test_filling_owes_nothing_to_what_was_there(shaded: Shaded, untrained: Path, how: str, data: st.DataObject) -> None:
    height, width = data.draw(st.integers(9, 120)), data.draw(st.integers(9, 120))
    places = data.draw(
        st.lists(
            st.tuples(st.integers(0, height), st.integers(0, width), st.integers(0, 40), st.integers(0, 90)), max_size=4
        )
    )
    mask = boxes((height, width), *places)
    image = shaded(height, width, data.draw(st.integers(0, 50)))
    other = np.where(mask > 0, shaded(height, width, 99), image).astype(np.float32)
    seed = data.draw(st.integers(0, 9))
    filled = fill(image, mask, how=how, seed=seed, generator=untrained)  # type: ignore[arg-type]
    assert np.array_equal(filled, fill(other, mask, how=how, seed=seed, generator=untrained))  # type: ignore[arg-type]
    assert np.array_equal(filled[mask == 0], image[mask == 0])
    assert filled.dtype == np.float32 and filled.min() >= 0 and filled.max() <= 1


@pytest.mark.parametrize("how", ["generator", "classical"])
def test_the_seed_changes_the_grain_alone(shaded: Shaded, untrained: Path, how: str) -> None:
    image, mask = shaded(128, 160), boxes((128, 160), (40, 30, 16, 80))
    one, two = (fill(image, mask, how=how, seed=seed, generator=untrained) for seed in (1, 2))  # type: ignore[arg-type]
    assert not np.array_equal(one, two)
    assert np.abs(one - two).max() < 0.1


def test_black_is_black(shaded: Shaded) -> None:
    image, mask = shaded(40, 40), boxes((40, 40), (10, 10, 8, 20))
    assert (fill(image, mask, how="black")[mask > 0] == 0).all()


def test_a_smooth_surface_is_continued() -> None:
    y, x = np.mgrid[0:120, 0:200].astype(np.float32)
    image = 0.2 + 0.001 * x + 0.002 * y
    mask = boxes(image.shape, (40, 50, 20, 90))
    assert np.abs(fill(image, mask, how="classical") - image).max() < 0.02


@pytest.mark.parametrize("how", ["generator", "classical"])
def test_the_edge_is_met_and_grain_is_like_the_surroundings(untrained: Path, how: str) -> None:
    rng = np.random.default_rng(2)
    image = (0.5 + 0.02 * rng.standard_normal((200, 300), np.float32)).astype(np.float32)
    mask = boxes(image.shape, (80, 60, 30, 160))
    filled = fill(image, mask, how=how, generator=untrained)  # type: ignore[arg-type]
    inside = filled[mask > 0]
    edge = (cv2.dilate(mask, np.ones((5, 5))) > 0) & (mask == 0)
    rim = (mask > 0) & (cv2.erode(mask, np.ones((5, 5))) == 0)
    assert abs(filled[rim].mean() - image[edge].mean()) < 0.01
    if how == "classical":
        assert 0.6 < inside.std() / 0.02 < 1.4


def test_where_there_is_no_grain_none_is_added() -> None:
    image = np.zeros((100, 100), np.float32)
    assert (fill(image, boxes(image.shape, (30, 20, 14, 50)), how="classical") == 0).all()


def test_an_image_that_is_all_mask_is_filled(shaded: Shaded, untrained: Path) -> None:
    image, mask = shaded(50, 70), np.ones((50, 70), np.float32)
    for how in WAYS:
        assert np.isfinite(fill(image, mask, how=how, generator=untrained)).all()  # type: ignore[arg-type]


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


def test_files_that_are_no_generator_are_refused(shaded: Shaded, untrained: Path, tmp_path: Path) -> None:
    save_file({"w": torch.zeros(2)}, tmp_path / "other.safetensors")
    (tmp_path / "cut.safetensors").write_bytes(untrained.read_bytes()[:500])
    for name in ("other", "cut", "none"):
        with pytest.raises(InputError, match="not a generator"):
            load_generator(tmp_path / f"{name}.safetensors")
    save_generator(tmp_path / "colour.safetensors", Generator(Architecture(width=2, hidden=2)))
    with pytest.raises(InputError, match="colour"):
        fill(shaded(40, 40), boxes((40, 40), (5, 5, 9, 9)), how="generator", generator=tmp_path / "colour.safetensors")
