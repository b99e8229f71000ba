from __future__ import annotations

import numpy as np
import pytest
from pydicom.dataset import Dataset

from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.paint.frame import Filling, paint
from medveil.defenses.pixels.paint.mask import soft_mask
from medveil.person.keys import Keys

SHAPE = (96, 128)
MASK = soft_mask([Line(60, 50, 40, 10, 0.4)], SHAPE)
SMOOTH = np.add.outer(np.arange(96), np.arange(128)) * 8 + 500


def with_text(frame: np.ndarray, value: int) -> np.ndarray:
    written = frame.copy()
    Line(60, 50, 40, 10, 0.4).grown(-2, -2)
    canvas = np.zeros(SHAPE, np.uint8)
    Line(60, 50, 36, 6, 0.4).paint(canvas)
    written[canvas > 0] = value
    return written


@pytest.mark.parametrize("how", ["classical", "black"])
@pytest.mark.parametrize("kind", ["MONOCHROME1", "MONOCHROME2"])
@pytest.mark.parametrize("dtype", [np.uint16, np.int16])
def test_outside_the_mask_every_bit_stays_and_inside_nothing_of_the_text(how, kind, dtype):
    frame = SMOOTH.astype(dtype)
    written = with_text(frame, 4095)
    painted = paint(written, MASK, kind, None, Filling(how)).frame
    assert painted.dtype == dtype
    assert (painted[MASK == 0] == written[MASK == 0]).all()
    assert painted[MASK == 1].max() < 3000
    # What is painted does not depend on what was there.
    other = paint(with_text(frame, 0), MASK, kind, None, Filling(how)).frame
    assert (painted[MASK == 1] == other[MASK == 1]).all()


def test_black_is_dark_in_either_kind():
    frame = with_text(SMOOTH.astype(np.uint16), 4095)
    light = paint(frame, MASK, "MONOCHROME1", None, Filling("black")).frame
    dark = paint(frame, MASK, "MONOCHROME2", None, Filling("black")).frame
    assert dark[MASK == 1].max() < SMOOTH.mean() < light[MASK == 1].min()


def test_smooth_surroundings_are_continued():
    painted = paint(with_text(SMOOTH.astype(np.uint16), 4095), MASK, "MONOCHROME2", None, Filling("classical")).frame
    assert np.abs(painted.astype(int) - SMOOTH)[MASK > 0].mean() < 60


def test_gray_colour_images_stay_gray():
    gray = np.repeat((SMOOTH >> 4).astype(np.uint8)[..., None], 3, axis=2)
    painted = paint(with_text(gray, 255), MASK, "RGB", None, Filling("classical")).frame
    assert (painted == painted[..., :1]).all()


TINTED = np.stack([SMOOTH >> 4, SMOOTH >> 5, 200 - (SMOOTH >> 5)], axis=2).astype(np.uint8)


@pytest.mark.parametrize("kind", ["RGB", "YBR_FULL", "YBR_FULL_422"])
@pytest.mark.parametrize("how", ["classical", "generator"])
def test_colour_is_filled_as_colour(kind, how, coloured):
    painted = paint(with_text(TINTED, 255), MASK, kind, None, Filling(how, coloured)).frame
    assert (painted[MASK == 0] == TINTED[MASK == 0]).all()
    assert np.abs(painted.astype(int) - TINTED)[MASK > 0].mean() < (6 if how == "classical" else 25)


def test_a_gray_generator_paints_colour_too(untrained):
    painted = paint(with_text(TINTED, 255), MASK, "RGB", None, Filling("generator", untrained)).frame
    assert np.abs(painted.astype(int) - TINTED)[MASK > 0].mean() < 25


def test_black_is_black_in_colour():
    painted = paint(with_text(TINTED, 255), MASK, "YBR_FULL", None, Filling("black")).frame
    assert painted[MASK == 1][:, 0].max() < 60
    assert np.abs(painted[MASK == 1][:, 1:].astype(int) - 128).max() < 3


def test_what_was_left_plain_is_told():
    frame, mask = np.full((480, 480), 900, np.uint16), np.zeros((480, 480), np.float32)
    mask[100:160, 100:160] = 1
    assert paint(frame, mask, "MONOCHROME2", None, Filling()).plain == 1


def test_the_grain_is_the_keys():
    frame = (SMOOTH + np.random.default_rng(0).normal(0, 40, SHAPE)).astype(np.uint16)
    mask = np.zeros(SHAPE, np.float32)
    mask[50:54, 30:90] = 1
    fillings = [Filling.keyed("classical", None, Keys.for_demonstration(number)) for number in (1, 1, 2)]
    one, same, other = (paint(frame, mask, "MONOCHROME2", None, filling).frame for filling in fillings)
    assert (one == same).all() and (one != other).any()


def test_a_palette_keeps_its_colours():
    dataset = Dataset()
    levels = np.arange(256, dtype=np.uint16) << 8
    for name, values in (("Red", levels), ("Green", levels[::-1]), ("Blue", np.full_like(levels, 1 << 15))):
        setattr(dataset, f"{name}PaletteColorLookupTableDescriptor", [256, 0, 16])
        setattr(dataset, f"{name}PaletteColorLookupTableData", values.tobytes())
    frame = (SMOOTH >> 4).astype(np.uint8)  # all entries are as bright as one another
    painted = paint(with_text(frame, 255), MASK, "PALETTE COLOR", dataset, Filling()).frame
    assert np.abs(painted.astype(int) - frame)[MASK > 0].mean() < 6


def test_a_palette_takes_entries_that_are_in_use_around():
    dataset = Dataset()
    levels = np.arange(256, dtype=np.uint16) << 8
    for name in ("Red", "Green", "Blue"):
        setattr(dataset, f"{name}PaletteColorLookupTableDescriptor", [256, 0, 16])
        setattr(dataset, f"{name}PaletteColorLookupTableData", levels.tobytes())
    frame = (SMOOTH >> 4).astype(np.uint8)
    painted = paint(with_text(frame, 255), MASK, "PALETTE COLOR", dataset, Filling("classical")).frame
    assert 255 not in painted
    assert set(painted[MASK > 0]) <= set(frame[MASK == 0])
    assert np.abs(painted.astype(int) - frame)[MASK > 0].mean() < 6
