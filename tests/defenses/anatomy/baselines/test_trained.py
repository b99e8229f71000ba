from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

from medveil.defenses.anatomy.baselines import training
from medveil.defenses.anatomy.baselines.film_unet import FilmUNet, FilmUNetPlan, load_unet, save_unet
from medveil.defenses.anatomy.method import Film, load_method
from medveil.defenses.anatomy.training_films import TrainingFilms
from medveil.errors import InputError, Quarantined

Luck = Callable[..., list[np.random.Generator]]


def saved(path: Path, method: str, *, planes: int = 1, strength: float = 0.3) -> Path:
    """A small network that was taught nothing but changes films."""
    torch.manual_seed(0)
    plan = FilmUNetPlan(method, planes, (8, 16))
    network = FilmUNet(plan)
    torch.nn.init.normal_(network.last.weight, std=strength)
    save_unet(path, network, plan)
    return path


@pytest.mark.parametrize(("name", "planes"), [("id-adversarial", 1), ("privacy-net", 1), ("deformation", 2)])
def test_trained_networks_change_films_by_level_and_the_same_in_whatever_company(
    name: str, planes: int, tmp_path: Path, three: list[Film], luck: Luck
) -> None:
    method = load_method(name, weights=saved(tmp_path / "net.safetensors", name, planes=planes))
    weak, strong = (method.protect(three, level, luck()) for level in (method.levels[0], method.levels[-1]))
    (alone,) = method.protect(three[1:2], method.levels[-1], luck(1, 5))
    assert np.array_equal(strong[1], alone)
    assert not np.array_equal(weak[0], strong[0]) and not np.array_equal(strong[0], three[0].pixels)
    assert method.guarantee(1).kind == "none" and method.bits(1) is None


def test_a_learned_field_stays_below_the_level(tmp_path: Path, luck: Luck) -> None:
    ramp = Film(np.tile(np.arange(256, dtype=np.uint8), (256, 1)))  # a pixel's value is where it came from
    method = load_method(
        "deformation", weights=saved(tmp_path / "net.safetensors", "deformation", planes=2, strength=9)
    )
    (made,) = method.protect([ramp], 0.05, luck(1))
    assert 1 < np.abs(made.astype(int) - ramp.pixels).max() <= 0.05 * 128 + 1


def test_a_network_of_another_method_and_colour_are_refused(tmp_path: Path, luck: Luck) -> None:
    path = saved(tmp_path / "net.safetensors", "privacy-net")
    with pytest.raises(InputError, match="not a network of id-adversarial"):
        load_method("id-adversarial", weights=path)
    with pytest.raises(Quarantined, match="in colour"):
        load_method("privacy-net", weights=path).protect([Film(np.zeros((256, 256, 3), np.uint8))], 1, luck(1))


def test_two_films_of_a_patient_come_together() -> None:
    people = np.array(["b", "a", "b", "c", "a", "b"])
    films = TrainingFilms(np.zeros((6, 256, 256), np.uint8), people, device="cpu", seed=0)
    for _ in range(20):
        rows = films.pairs(3)
        codes = films.codes[rows]
        assert (codes[:, 0] == codes[:, 1]).all() and sorted(codes[:, 0].tolist()) == [0, 1, 2]
        assert ((rows[:, 0] != rows[:, 1]) | (codes[:, 0] == 2)).all()  # the third has one film only


def test_a_step_of_training_makes_a_file_to_load(
    tmp_path: Path, three: list[Film], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "PATIENTS", 1)
    monkeypatch.setattr(training, "COPYING", 0)
    monkeypatch.setattr(training, "FilmUNetPlan", partial(FilmUNetPlan, widths=(8, 16)))
    pixels = np.stack([film.pixels for film in three])
    films = TrainingFilms(pixels, np.array([0, 1, 1]), device="cpu", seed=0)
    told = training.train_unet("privacy-net", films, tmp_path / "net.safetensors", device="cpu", seconds=0.01)
    assert told["step"] == 1 and "cosine at 1" in told
    assert load_unet(tmp_path / "net.safetensors", "privacy-net").last.out_channels == 1
