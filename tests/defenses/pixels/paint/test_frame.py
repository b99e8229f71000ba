from __future__ import annotations

import numpy as np
import pytest
from pydicom.dataset import Dataset

from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.paint.frame import paint
from medveil.defenses.pixels.paint.mask import soft_mask

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
    painted = paint(written, MASK, kind, None, how=how, seed=0)
    assert painted.dtype == dtype
    assert (painted[MASK == 0] == written[MASK == 0]).all()
    assert painted[MASK == 1].max() < 3000
    # What is painted does not depend on what was there.
    other = paint(with_text(frame, 0), MASK, kind, None, how=how, seed=0)
    assert (painted[MASK == 1] == other[MASK == 1]).all()


def test_black_is_dark_in_either_kind():
    frame = with_text(SMOOTH.astype(np.uint16), 4095)
    light = paint(frame, MASK, "MONOCHROME1", None, how="black", seed=0)
    dark = paint(frame, MASK, "MONOCHROME2", None, how="black", seed=0)
    assert dark[MASK == 1].max() < SMOOTH.mean() < light[MASK == 1].min()


def test_smooth_surroundings_are_continued():
    painted = paint(with_text(SMOOTH.astype(np.uint16), 4095), MASK, "MONOCHROME2", None, how="classical", seed=0)
    assert np.abs(painted.astype(int) - SMOOTH)[MASK > 0].mean() < 60


def test_gray_colour_images_stay_gray_and_luma_loses_its_colour():
    gray = np.repeat((SMOOTH >> 4).astype(np.uint8)[..., None], 3, axis=2)
    painted = paint(with_text(gray, 255), MASK, "RGB", None, how="classical", seed=0)
    assert (painted == painted[..., :1]).all()
    luma = gray.copy()
    luma[..., 1:] = 90
    painted = paint(luma, MASK, "YBR_FULL", None, how="classical", seed=0)
    assert (painted[MASK == 1][:, 1:] == 128).all()
    assert (painted[MASK == 0] == luma[MASK == 0]).all()


def test_a_palette_takes_entries_that_are_in_use_around():
    dataset = Dataset()
    levels = np.arange(256, dtype=np.uint16) << 8
    for name in ("Red", "Green", "Blue"):
        setattr(dataset, f"{name}PaletteColorLookupTableDescriptor", [256, 0, 16])
        setattr(dataset, f"{name}PaletteColorLookupTableData", levels.tobytes())
    frame = (SMOOTH >> 4).astype(np.uint8)
    painted = paint(with_text(frame, 255), MASK, "PALETTE COLOR", dataset, how="classical", seed=0)
    assert 255 not in painted
    assert set(painted[MASK > 0]) <= set(frame[MASK == 0])
    assert np.abs(painted.astype(int) - frame)[MASK > 0].mean() < 6
