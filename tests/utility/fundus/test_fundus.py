from __future__ import annotations

import numpy as np
import pytest

from medveil.errors import Quarantined
from medveil.utility.fundus import vessels
from medveil.utility.fundus.photographs import SIDE, disc, prepare_eye, prepare_outline


def photograph(height: int = 120, width: int = 200) -> np.ndarray:
    """A disc of 100 pixels in a black frame, with one dark vessel across it."""
    down, across = np.mgrid[:height, :width]
    lit = (down - 60) ** 2 + (across - 90) ** 2 < 50**2
    eye = np.zeros((height, width, 3), np.uint8)
    eye[lit] = (200, 110, 60)
    eye[58:62][lit[58:62]] = (120, 40, 30)
    return eye


def test_the_disc_fills_the_square() -> None:
    eye = photograph()
    rows, columns = disc(eye)
    assert (rows.stop - rows.start, columns.stop - columns.start) == (99, 99)
    prepared = prepare_eye(eye)
    assert prepared.shape == (SIDE, SIDE, 3)
    assert prepared[SIDE // 2, 20:-20, 0].max() < 150 < prepared[SIDE // 4, SIDE // 2, 0]
    assert (prepared[:10, :10] == 0).all()


def test_an_outline_lies_where_its_vessel_lies() -> None:
    eye = photograph()
    outline = np.zeros(eye.shape[:2], bool)
    outline[58:62] = True
    prepared, lines = prepare_eye(eye), prepare_outline(outline, eye)
    lit = prepared[..., 0] > 60
    assert (
        np.array_equal(lines & lit, (prepared[..., 1] < 75) & lit)
        or ((lines & lit) ^ ((prepared[..., 1] < 75) & lit)).mean() < 0.02
    )


def test_a_dark_photograph_is_set_aside() -> None:
    with pytest.raises(Quarantined, match="nothing lit"):
        prepare_eye(np.zeros((40, 40, 3), np.uint8))


def test_vessels_are_found_on_other_peoples_eyes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vessels, "BATCH", 4)
    monkeypatch.setattr(vessels, "CROP", 48)
    small = vessels.VesselNetwork
    monkeypatch.setattr(vessels, "VesselNetwork", lambda: small((8, 16)))
    rng = np.random.default_rng(0)
    eyes = np.full((8, 64, 64, 3), 160, np.uint8)
    outlines = np.zeros((8, 64, 64), bool)
    for mask in outlines:
        mask[rng.integers(5, 55) :, :][:4] = True
        mask[:, rng.integers(5, 55) :][:, :4] = True
    eyes[outlines] = 60
    eyes += rng.integers(0, 20, eyes.shape, np.uint8)
    shown = eyes.copy()
    shown[4:] = np.roll(eyes[4:], 20, axis=(1, 2))  # their vessels are no longer where they were
    found = vessels.cross_fitted(eyes, shown, outlines, np.arange(8) // 2, folds=2, steps=40)
    assert found[:4].mean() > 0.8 > 0.5 > found[4:].mean()


def test_dice_of_vessels() -> None:
    truth = np.zeros((1, 4, 4), bool)
    truth[0, :2] = True
    assert vessels.vessel_dice(truth, truth).tolist() == [1]
    assert vessels.vessel_dice(~truth, truth).tolist() == [0]
