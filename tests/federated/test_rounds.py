from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from medveil.errors import InputError, SettingsError
from medveil.federated.aggregation import aggregation
from medveil.federated.local_training import Arrays, LocalTraining, assemble
from medveil.federated.recipe import Privacy, Recipe
from medveil.federated.rounds import STATE, Federation, federate, run_rounds
from medveil.federated.vision_language.films import Films
from medveil.federated.vision_language.steps import predicted
from medveil.stats.auc import WeightedAUC


@dataclass
class Constant:
    """A site whose update is always the same."""

    value: float
    weight: float = 1.0

    def update(self, shared: Sequence[NDArray[np.float32]], round_number: int) -> Arrays:
        return [np.full_like(part, self.value) for part in shared]


def start() -> Arrays:
    return [np.zeros((2, 3), np.float32), np.zeros(4, np.float32)]


def test_a_round_adds_the_weighted_mean_of_the_updates() -> None:
    sites = {"a": Constant(1.0, 1.0), "b": Constant(4.0, 2.0)}
    done = run_rounds(start(), sites, 2, name="x")
    assert all((part == 6.0).all() for part in done.shared)
    assert [one.taking_part for one in done.rounds] == [("a", "b")] * 2
    assert done.rounds[0].bytes_a_site == 4 * 10


def test_an_update_that_is_no_number_is_left_out_and_told() -> None:
    sites = {"a": Constant(1.0), "b": Constant(float("nan"))}
    done = run_rounds(start(), sites, 1, name="x")
    assert done.rounds[0].left_out == ("b",) and (done.shared[0] == 1).all()
    with pytest.raises(InputError, match="no site sent a usable update"):
        run_rounds(start(), {"b": sites["b"]}, 1, name="x")


@pytest.mark.parametrize("between", [{"momentum": 0.5}, {"adam": "coordinator"}], ids=["momentum", "adam"])
def test_a_killed_run_goes_on_to_the_same_weights(
    small_recipe: Recipe, make_films: Callable[..., Films], tmp_path: Path, between: dict[str, Any]
) -> None:
    recipe = replace(small_recipe, **between)

    def sites() -> dict[str, LocalTraining]:
        return {name: LocalTraining(recipe, make_films(seed=seed), None) for seed, name in enumerate("ab")}

    whole = federate(recipe, sites(), 3)

    def kill(federation: Federation) -> None:
        if len(federation.rounds) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        federate(recipe, sites(), 3, folder=tmp_path, after=kill)
    again = federate(recipe, sites(), 3, folder=tmp_path)
    assert [one.number for one in again.rounds] == [1, 2, 3]
    assert all(np.array_equal(one, other) for one, other in zip(whole.shared, again.shared, strict=True))
    with pytest.raises(InputError, match="another recipe or other sites"):
        federate(replace(recipe, seed=5), sites(), 3, folder=tmp_path)
    (tmp_path / STATE).write_bytes((tmp_path / STATE).read_bytes()[:500])
    with pytest.raises(InputError, match="cannot be read"):
        federate(recipe, sites(), 3, folder=tmp_path)


def test_the_run_ends_with_the_first_budget(
    small_recipe: Recipe, make_films: Callable[..., Films], tmp_path: Path
) -> None:
    recipe = replace(small_recipe, privacy=Privacy(epsilon=3.5, noise=2.0))
    done = federate(recipe, {"a": LocalTraining(recipe, make_films(), tmp_path)}, 50)
    assert 1 <= len(done.rounds) < 50 and "over its budget" in done.ended


def test_sites_together_learn_what_films_show(small_recipe: Recipe, make_films: Callable[..., Films]) -> None:
    recipe = replace(small_recipe, local_steps=8, batch=16, learning_rate=5e-3, text="none")
    sites = {name: LocalTraining(recipe, make_films(patients=24, seed=seed), None) for seed, name in enumerate("ab")}
    done = federate(recipe, sites, 4)
    unseen = make_films(patients=40, seed=9)
    scores = predicted(assemble(recipe, done.shared), unseen.pixels, device="cpu")
    found = [
        WeightedAUC(scores[:, one].astype(np.float64), unseen.targets[:, one] == 1)()
        for one in range(len(recipe.findings))
    ]
    assert np.mean(found) > 0.8


def test_nobody_and_nothing_are_refused() -> None:
    with pytest.raises(SettingsError, match="at least one site"):
        run_rounds(start(), {}, 1, name="x")
    with pytest.raises(InputError, match="not all zero"):
        run_rounds(start(), {"a": Constant(1.0, 0.0)}, 1, name="x")


def test_another_rule_puts_the_updates_together() -> None:
    sites = {name: Constant(value) for name, value in zip("abc", (1.0, 2.0, 99.0), strict=True)}
    done = run_rounds(start(), sites, 1, aggregation("median"), name="x")
    assert all((part == 2.0).all() for part in done.shared)
