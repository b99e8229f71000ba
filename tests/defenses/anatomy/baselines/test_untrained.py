from __future__ import annotations

from collections.abc import Callable
from math import comb, log2
from pathlib import Path

import numpy as np
import pytest

from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.defenses.anatomy.baselines import k_same
from medveil.defenses.anatomy.baselines.k_same import KSame, gallery_of, save_gallery
from medveil.defenses.anatomy.method import Film, load_method
from medveil.encoders.identity.preparing import prepare
from medveil.errors import InputError, Quarantined, SettingsError

Luck = Callable[..., list[np.random.Generator]]


@pytest.fixture
def gallery(tmp_path: Path) -> Path:
    """Twelve patients that are not the three."""
    patients = [plan_patient(10, number, 3) for number in range(12)]
    drawn = [prepare(draw(one, one.visits[0], sites_seed=10, size=256).pixels) for one in patients]
    save_gallery(tmp_path / "gallery.safetensors", gallery_of(drawn))
    return tmp_path / "gallery.safetensors"


@pytest.mark.parametrize("name", ["blur", "deformation", "k-same"])
def test_a_film_becomes_the_same_bytes_in_whatever_company(
    name: str, gallery: Path, three: list[Film], luck: Luck
) -> None:
    method = load_method(name, weights=gallery if name == "k-same" else None)
    for level in (method.levels[0], method.levels[2]):
        together = method.protect(three, level, luck())
        alone = [method.protect([film], level, [one])[0] for film, one in zip(three, luck(), strict=True)]
        for film, here, there in zip(three, together, alone, strict=True):
            assert here.shape == film.pixels.shape and here.dtype == np.uint8
            assert np.array_equal(here, there)
            assert not np.array_equal(here, film.pixels)


def test_stronger_levels_change_more(three: list[Film], luck: Luck) -> None:
    for name in ("blur", "deformation"):
        method, film = load_method(name), three[0]
        changes = [
            np.abs(method.protect([film], level, luck(1))[0].astype(int) - film.pixels).mean()
            for level in method.levels
        ]
        assert changes == sorted(changes) and changes[-1] > 2 * changes[0]


def test_a_blur_spreads_one_point_as_a_gaussian_does(luck: Luck) -> None:
    point = np.zeros((256, 256), np.uint8)
    point[128, 128] = 255
    made = load_method("blur").protect([Film(point)], 1.0, luck(1))[0]
    steps = np.arange(-4, 5)
    weights = np.exp(-(steps**2) / 2)
    weights /= weights.sum()
    assert np.abs(made[124:133, 124:133] - 255 * np.outer(weights, weights)).max() <= 1


def test_colours_are_blurred_and_bent_apart(three: list[Film], luck: Luck) -> None:
    gray = three[0].pixels
    colour = Film(np.stack([gray, np.zeros_like(gray), gray], -1))
    for name in ("blur", "deformation"):
        method = load_method(name)
        red, green, blue = np.moveaxis(method.protect([colour], method.levels[1], luck(1))[0], -1, 0)
        (alone,) = method.protect([Film(gray)], method.levels[1], luck(1))
        assert np.array_equal(red, alone) and np.array_equal(blue, alone) and not green.any()


def test_a_random_field_is_the_generators_alone_and_no_farther_than_the_level(luck: Luck) -> None:
    ramp = Film(np.tile(np.arange(256, dtype=np.uint8), (256, 1)))  # a pixel's value is where it came from
    method = load_method("deformation")
    (first,), (other,) = (method.protect([ramp], 0.1, luck(1, seed)) for seed in (1, 2))
    assert not np.array_equal(first, other)
    assert 3 < np.abs(first.astype(int) - ramp.pixels).max() <= 0.1 * 128 + 1


def test_k_same_is_the_mean_of_the_nearest_films_of_the_gallery(gallery: Path, three: list[Film], luck: Luck) -> None:
    method, film = KSame(weights=gallery), three[0]
    kept = k_same.load_gallery(gallery)
    alike = [k_same.describe(one) @ k_same.describe(film.pixels) for one in kept]
    nearest = np.argsort(alike)[::-1][:5]
    (made,) = method.protect([film], 5, luck(1))
    small = made.reshape(64, 4, 64, 4).mean((1, 3))
    assert np.abs(small - kept[nearest].mean(0)).mean() < 1.5
    assert np.abs(small - kept[np.argsort(alike)[:5]].mean(0)).mean() > 4
    assert method.bits(5) == log2(comb(12, 5))
    assert method.guarantee(5).kind == "formal"


def test_films_of_a_gallery_are_laid_over_their_mean(three: list[Film]) -> None:
    film = three[0]
    moved = np.roll(film.pixels, 12, axis=1)
    apart = np.abs(gallery_of([film.pixels])[0].astype(int) - gallery_of([moved])[0])[:, 8:-8].mean()
    laid = gallery_of([film.pixels] * 5 + [moved])
    assert np.abs(laid[0].astype(int) - laid[-1])[:, 8:-8].mean() < apart / 2


def test_what_cannot_be_done_is_refused(gallery: Path, tmp_path: Path, three: list[Film], luck: Luck) -> None:
    with pytest.raises(SettingsError, match="from 1 to the 12"):
        KSame(weights=gallery).protect(three[:1], 13, luck(1))
    colour = Film(np.zeros((256, 256, 3), np.uint8))
    with pytest.raises(Quarantined, match="in colour"):
        KSame(weights=gallery).protect([colour], 2, luck(1))
    other = tmp_path / "other.safetensors"
    other.write_bytes(b"none")
    with pytest.raises(InputError, match="not a gallery"):
        KSame(weights=other).bits(2)
    for name in ("id-adversarial", "privacy-net"):
        with pytest.raises(SettingsError, match=f"train anatomy --method {name}"):
            load_method(name)
    with pytest.raises(InputError, match="not a network of deformation"):
        load_method("deformation", weights=gallery)


def test_what_is_not_a_prepared_film_is_refused(three: list[Film], luck: Luck) -> None:
    for odd in (np.zeros((128, 128), np.uint8), np.zeros((256, 256), np.uint16)):
        for name in ("blur", "deformation"):
            with pytest.raises(SettingsError, match="prepared first"):
                load_method(name).protect([Film(odd)], 0.1, luck(1))
    with pytest.raises(SettingsError, match="of its own"):
        load_method("deformation").protect(three, 0.1, luck(2))
