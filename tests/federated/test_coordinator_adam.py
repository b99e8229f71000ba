"""AdamW at the coordinator: PyTorch's, and with one step a round the step of pooled films."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

from medveil.federated.coordinator_adam import BETAS, RISE, Arrays, adam_step
from medveil.federated.local_training import LocalTraining
from medveil.federated.recipe import Recipe
from medveil.federated.rounds import federate
from medveil.federated.vision_language.films import Films


def test_rounds_go_as_adamw_goes_with_the_mean_gradients(small_recipe: Recipe) -> None:
    recipe = replace(small_recipe, adam="coordinator", local_steps=4, site_rate=0.05, horizon=20, weight_decay=0.1)
    rng = np.random.default_rng(3)
    shared: Arrays = [rng.standard_normal((4, 3)).astype(np.float32), rng.standard_normal(2).astype(np.float32)]
    parameters = [torch.nn.Parameter(torch.from_numpy(part.copy())) for part in shared]
    adam = torch.optim.AdamW(parameters, betas=BETAS, weight_decay=recipe.weight_decay)
    memory: Arrays = []

    for number in range(1, 16):
        gradients = [rng.standard_normal(part.shape).astype(np.float32) for part in shared]
        update = [np.float32(-4 * 0.05) * part for part in gradients]
        shared, memory = adam_step(shared, memory, update, recipe)
        adam.param_groups[0]["lr"] = recipe.rate(number) * min(1, number / RISE)
        for parameter, part in zip(parameters, gradients, strict=True):
            parameter.grad = torch.from_numpy(part)
        adam.step()

    for ours, theirs in zip(shared, parameters, strict=True):
        np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_a_step_leaves_what_it_was_given_as_it_was(small_recipe: Recipe) -> None:
    recipe = replace(small_recipe, adam="coordinator")
    shared: Arrays = [np.ones(3, np.float32)]
    update: Arrays = [np.full(3, 2, np.float32)]
    _, memory = adam_step(shared, [], update, recipe)
    before = [part.copy() for part in memory]
    adam_step(shared, memory, update, recipe)
    assert shared[0].tolist() == [1, 1, 1] and update[0].tolist() == [2, 2, 2]
    assert all(np.array_equal(one, other) for one, other in zip(memory, before, strict=True))


def test_sites_go_where_their_films_together_would_go(
    small_recipe: Recipe, make_films: Callable[..., Films], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With everybody in every step: sites of other sizes, and without reports, come to the weights of pooled films."""
    monkeypatch.setattr("medveil.federated.vision_language.steps.varied", lambda films, generator: films)
    parts = [make_films(patients=5, seed=5), make_films(patients=9, seed=9, reports=False)]
    single = [part.take(np.unique(part.patients, return_index=True)[1]) for part in parts]  # a film a patient
    recipe = replace(small_recipe, adam="coordinator", local_steps=1, batch=64, contrast=0.0, proximal=0.0)
    apart = {name: LocalTraining(recipe, films, None) for name, films in zip("ab", single, strict=True)}
    pooled = {"all": LocalTraining(recipe, Films.together(single), None)}
    start, found, expected = (
        np.concatenate([part.ravel() for part in federate(recipe, sites, rounds).shared])
        for sites, rounds in ((apart, 0), (apart, 4), (pooled, 4))
    )
    assert np.linalg.norm(found - expected) < 0.03 * np.linalg.norm(found - start) > 0
