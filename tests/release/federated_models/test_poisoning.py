from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from medveil.errors import SettingsError
from medveil.federated.local_training import initial
from medveil.federated.recipe import Recipe
from medveil.federated.vision_language.films import Films
from medveil.release.federated_models.poisoning import POISONS, Poison, Poisoned, poisoned_sites, train_poisoned
from medveil.stats.auc import WeightedAUC


@pytest.fixture(scope="module")
def sites(make_films: Callable[..., Films]) -> dict[str, Films]:
    return {f"site {number}": make_films(20, seed=number) for number in range(7)}


def _trained(recipe: Recipe, sites: dict[str, Films], tried: Films, rule: str, poison: Poison) -> Poisoned:
    return train_poisoned(recipe, sites, tried, 3, poison=poison, rule=rule, bad=1, finding=0)


def _auc(found: Poisoned, tried: Films) -> float:
    return float(np.mean([WeightedAUC(found.honest[:, n].astype(float), tried.targets[:, n] == 1)() for n in range(3)]))


@pytest.mark.exhaustive
def test_a_scaled_update_ruins_the_mean_and_not_the_median(
    small_recipe: Recipe, make_films: Callable[..., Films], sites: dict[str, Films]
) -> None:
    recipe, tried = replace(small_recipe, text="none", local_steps=6), make_films(80, seed=50)
    clean = _auc(_trained(recipe, sites, tried, "mean", "none"), tried)
    ruined = _auc(_trained(recipe, sites, tried, "mean", "scaled updates"), tried)
    held = _auc(_trained(recipe, sites, tried, "median", "scaled updates"), tried)
    assert clean > 0.8 and ruined < clean - 0.2 and held > clean - 0.1


def test_each_poison_changes_the_poisoned_site_alone(small_recipe: Recipe, sites: dict[str, Films]) -> None:
    recipe = replace(small_recipe, text="none", local_steps=1)
    shared = initial(recipe)
    honest = poisoned_sites(recipe, sites, "none", 1, 0, device="cpu", seed=1)
    for poison in POISONS[1:]:
        taking_part = poisoned_sites(recipe, sites, poison, 1, 0, device="cpu", seed=1)
        same = []
        for name in list(sites)[:2]:
            both = zip(honest[name].update(shared, 1), taking_part[name].update(shared, 1), strict=True)
            same.append(all(np.array_equal(one, other) for one, other in both))
        assert same == [False, True], poison


def test_too_few_sites_for_the_rule_are_refused(small_recipe: Recipe, sites: dict[str, Films]) -> None:
    recipe = replace(small_recipe, text="none", local_steps=1)
    few = dict(list(sites.items())[:4])
    with pytest.raises(SettingsError, match="bulyan needs at least 7 sites"):
        _trained(recipe, few, sites["site 0"], "bulyan", "none")
