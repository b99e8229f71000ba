from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from medveil.errors import SettingsError
from medveil.federated.budget import noise_to_last, rounds_within
from medveil.federated.local_training import LocalTraining
from medveil.federated.recipe import Privacy, Recipe
from medveil.federated.rounds import federate
from medveil.federated.vision_language.films import Films


def test_a_site_trains_for_exactly_the_rounds_foretold(
    small_recipe: Recipe, make_films: Callable[..., Films], tmp_path: Path
) -> None:
    recipe = replace(small_recipe, privacy=Privacy(epsilon=3.0, noise=2.5), local_steps=1, text="none")
    films = make_films(patients=8)
    foretold = rounds_within(recipe, len(films.people))
    done = federate(recipe, {"a": LocalTraining(recipe, films, tmp_path)}, foretold + 1)
    assert len(done.rounds) == foretold > 0 and done.ended


def test_what_was_spent_before_shortens_what_is_foretold(
    small_recipe: Recipe, make_films: Callable[..., Films], tmp_path: Path
) -> None:
    recipe = replace(small_recipe, privacy=Privacy(epsilon=3.0, noise=2.5), local_steps=1, text="none")
    site = LocalTraining(recipe, make_films(patients=8), tmp_path)
    fresh = site.rounds_left(100)
    assert fresh == rounds_within(recipe, 8) > 1
    other = replace(recipe, seed=1)
    federate(other, {"a": LocalTraining(other, make_films(patients=8), tmp_path)}, 1)
    assert site.rounds_left(100) == fresh - 1 and site.rounds_left(1) == 1


def test_the_noise_chosen_lasts_and_less_would_not(small_recipe: Recipe) -> None:
    privacy = Privacy(epsilon=2.0)
    recipe = replace(small_recipe, privacy=privacy, batch=32, local_steps=1)
    noise = noise_to_last(recipe, 900, 3)
    assert rounds_within(replace(recipe, privacy=replace(privacy, noise=noise)), 900) >= 3
    assert rounds_within(replace(recipe, privacy=replace(privacy, noise=noise * 0.99)), 900) < 3


def test_what_makes_no_sense_is_refused(small_recipe: Recipe) -> None:
    with pytest.raises(SettingsError, match="spends no budget"):
        rounds_within(small_recipe, 10)
    private = replace(small_recipe, privacy=Privacy(epsilon=1e-3, noise=0.5))
    assert rounds_within(private, 10) == 0
    with pytest.raises(SettingsError, match="at least one"):
        noise_to_last(private, 10, 0)
