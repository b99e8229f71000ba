"""Over sockets, in Flower's simulation and in one process, a plan comes to the same model."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medveil.federated.aggregation import aggregation
from medveil.federated.local_training import LocalTraining
from medveil.federated.participant import Arrays
from medveil.federated.plan import Plan
from medveil.federated.recipe import Recipe
from medveil.federated.record import read_weights
from medveil.federated.rounds import federate
from medveil.federated.simulation import simulate, simulated_plan
from medveil.federated.vision_language.films import Films

NAMES = ("north", "south", "west")


@pytest.fixture(params=[{"momentum": 0.5}, {"adam": "coordinator"}], ids=["momentum", "adam"])
def tiny(small_recipe: Recipe, request: pytest.FixtureRequest) -> dict[str, Any]:
    table = {name: value for name, value in small_recipe.to_json().items() if value is not None}
    return table | {"weighting": "equal"} | request.param


def trained_on_films(plan: Plan, name: str, folder: Path, films: dict[str, Films]) -> LocalTraining:
    return LocalTraining(plan.recipe, films[name], folder / "training")


def in_one_process(table: dict[str, Any], make_films: Callable[..., Films], rounds: int) -> Arrays:
    recipe = Recipe.of(table)
    sites = {name: LocalTraining(recipe, make_films(seed=seed), None) for seed, name in enumerate(NAMES)}
    return federate(recipe, sites, rounds, aggregation("mean")).shared


@pytest.mark.exhaustive
def test_over_sockets_as_in_one_process(
    consortium: Callable[..., Any], tiny: dict[str, Any], make_films: Callable[..., Films]
) -> None:
    here = consortium(dict.fromkeys(NAMES, 0.0), recipe=tiny, secure_sums=False, patience=60)
    for seed, name in enumerate(NAMES):
        folder = here.folder / name / "training"
        here.trainings[name] = LocalTraining(here.plan.recipe, make_films(seed=seed), folder)
    here.start()
    found = read_weights(here.out, here.coordinate())
    here.wait()
    for one, other in zip(found, in_one_process(tiny, make_films, 2), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.exhaustive
def test_simulated_as_in_one_process(tmp_path: Path, tiny: dict[str, Any], make_films: Callable[..., Films]) -> None:
    pytest.importorskip("ray")
    tiny |= {"text": "none"}  # Ray's processes have the least priority, and transformers takes long to load
    table = {"title": "t", "data": "d", "rounds": 2, "recipe": tiny, "secure_sums": False}
    films = {name: make_films(seed=seed) for seed, name in enumerate(NAMES)}
    plan = simulated_plan(table, NAMES, tmp_path)
    found = read_weights(tmp_path, simulate(plan, tmp_path, partial(trained_on_films, films=films)))
    for one, other in zip(found, in_one_process(tiny, make_films, 2), strict=True):
        assert np.array_equal(one, other)


def flat_training(plan: Plan, name: str, folder: Path) -> Any:
    """Of a simulated site; a function of a module, since other processes call it."""
    return _Flat(plan.names.index(name) + 1)


class _Flat:
    weight, epsilon = 1.0, None

    def __init__(self, number: int) -> None:
        self._number = number

    def update(self, shared: Arrays, round_number: int) -> Arrays:
        return [np.full_like(one, self._number / 10 / round_number) for one in shared]


@pytest.mark.exhaustive
@pytest.mark.parametrize("adam", ["sites", "coordinator"])
def test_simulated_under_masks_as_in_one_process(tmp_path: Path, recipe_table: dict[str, Any], adam: str) -> None:
    pytest.importorskip("ray")
    table = {"title": "t", "data": "d", "rounds": 2, "recipe": recipe_table | {"adam": adam}}
    plan = simulated_plan(table, NAMES, tmp_path)
    found = read_weights(tmp_path, simulate(plan, tmp_path, flat_training))
    sites = {name: _Flat(number) for number, name in enumerate(sorted(NAMES), start=1)}
    expected = federate(plan.recipe, sites, 2, aggregation("mean")).shared
    for one, other in zip(found, expected, strict=True):
        assert np.abs(one - other).max() < 1e-6
