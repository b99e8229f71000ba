"""Devices drawn on films: each kind shows, only where it lies, and the same again for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

from recipes.pixels.devices import KINDS, Gray, draw_device, draw_devices, laid_over, thickness_of

DARKENS = {"gas", "gridlines", "shutters"}


@pytest.fixture
def film() -> Gray:
    down, across = np.mgrid[0:300, 0:260]
    return (60 + 50 * np.sin(down / 40) * np.cos(across / 30)).astype(np.uint8)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_changes_pixels_only_where_the_device_lies(kind: str, film: Gray) -> None:
    before = film.copy()
    thickness = thickness_of(kind, film.shape, np.random.default_rng(3))
    drawn = laid_over(film, thickness, np.random.default_rng(4))
    assert (film == before).all()
    assert drawn.shape == film.shape
    assert drawn.dtype == np.uint8
    assert (drawn[thickness == 0] == film[thickness == 0]).all()
    assert (drawn != film).sum() > 5
    assert (drawn[thickness > 0] >= film[thickness > 0]).all()
    assert (drawn[thickness < 0] <= film[thickness < 0]).all()
    if kind not in DARKENS:
        assert (thickness > 0).any()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_any_seed_and_shape_can_be_drawn(kind: str) -> None:
    for seed in range(12):
        shape = ((256, 256), (300, 200), (180, 320))[seed % 3]
        assert np.isfinite(thickness_of(kind, shape, np.random.default_rng(seed))).all()


def test_a_device_leaves_most_of_the_film_alone(film: Gray) -> None:
    spread = DARKENS | {"net"}
    for kind in sorted(set(KINDS) - spread):
        assert (draw_device(kind, film, np.random.default_rng(5)) != film).mean() < 0.4, kind


def test_the_same_seed_draws_the_same_and_another_does_not(film: Gray) -> None:
    one, again, other = (draw_devices(film, np.random.default_rng(seed)) for seed in (8, 8, 9))
    assert (one == again).all()
    assert (one != other).any()


def test_sizes_follow_the_film() -> None:
    for kind in ("generator", "sternal wires", "rods"):
        small, large = (
            (thickness_of(kind, (side, side), np.random.default_rng(6)) > 0.1).mean() for side in (256, 1024)
        )
        assert 0.5 < small / large < 2, kind
