from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

from medveil.defenses.alignment.losses import PublicNegatives
from medveil.federated.recipe import ImageEncoder, Recipe
from medveil.federated.vision_language.building import build
from medveil.federated.vision_language.films import Films
from medveil.federated.vision_language.losses import Batch, batch_loss, own_loss
from medveil.federated.vision_language.network import VisionLanguageNetwork, trained_parameters
from medveil.federated.vision_language.patient_gradients import clipped_sum
from medveil.federated.vision_language.steps import Stock

MakeFilms = Callable[..., Films]


def batch_of(films: Films, rows: list[int]) -> Batch:
    stock = Stock.of(films, "cpu")
    return Batch(
        stock.pixels[rows].unsqueeze(1).float() / 255, stock.words[rows], stock.targets[rows], stock.known[rows]
    )


def public(network: VisionLanguageNetwork, films: Films) -> PublicNegatives:
    rows = batch_of(films, [0, 1, 2])
    with torch.no_grad():
        return PublicNegatives(network.film_vectors(rows.films), network.report_vectors(rows.words), 0.1)


@pytest.mark.parametrize("image", ["resnet", "vit"])
def test_the_clipped_sum_is_that_of_every_patients_own_gradient(
    image: ImageEncoder, small_recipe: Recipe, make_films: MakeFilms
) -> None:
    recipe = replace(small_recipe, image=image, channels=16)
    network, films = build(recipe), make_films(patients=5, films=1)
    contrast = public(network, make_films(seed=3))
    clip = 0.05
    found = clipped_sum(network, batch_of(films, list(range(5))), recipe, contrast, clip)
    expected = [torch.zeros_like(one, dtype=torch.float64) for one in trained_parameters(network).values()]
    shortened = 0
    for row in range(5):
        one = batch_of(films, [row])
        loss = own_loss(network(one.films, one.words), one, recipe, contrast).sum()
        parameters = list(trained_parameters(network).values())
        gradients = torch.autograd.grad(loss, parameters, materialize_grads=True)
        length = float(torch.cat([part.double().flatten() for part in gradients]).norm())
        shortened += length > clip
        for total, part in zip(expected, gradients, strict=True):
            total += part.double() * min(1.0, clip / length)
    assert shortened
    for ours, theirs in zip(found, expected, strict=True):
        assert torch.allclose(ours, theirs, atol=1e-5)


def test_one_more_patient_moves_the_sum_by_no_more_than_the_clip(small_recipe: Recipe, make_films: MakeFilms) -> None:
    network, films = build(small_recipe), make_films(patients=9, films=1)
    contrast = public(network, make_films(seed=3))
    clip = 0.02
    without = clipped_sum(network, batch_of(films, list(range(8))), small_recipe, contrast, clip)
    with_one = clipped_sum(network, batch_of(films, list(range(9))), small_recipe, contrast, clip)
    moved = torch.cat([(b - a).flatten() for a, b in zip(without, with_one, strict=True)]).norm()
    assert 0.5 * clip < float(moved) <= clip * (1 + 1e-6)


def test_the_loss_over_a_batch_would_let_one_patient_move_the_others(
    small_recipe: Recipe, make_films: MakeFilms
) -> None:
    """Why the private loss is another one: with InfoNCE, who else is there changes a patient's gradient."""
    network, films = build(small_recipe), make_films(patients=6, films=1)
    parameters = [network.image_projection.weight]

    def gradient(rows: list[int]) -> torch.Tensor:
        found = batch_of(films, rows)
        plain = replace(small_recipe, contrast=0.0)
        with_contrast = batch_loss(network, found, small_recipe) - batch_loss(network, found, plain)
        return torch.autograd.grad(with_contrast * len(rows), parameters)[0]

    one_apart = gradient([0, 1]) - gradient([0]) - gradient([1])
    assert float(one_apart.norm()) > 1e-4


def test_a_patient_whose_gradient_is_no_number_takes_no_part(small_recipe: Recipe, make_films: MakeFilms) -> None:
    network, films = build(small_recipe), make_films(patients=3, films=1)
    whole = batch_of(films, [0, 1])
    spoilt = batch_of(films, [0, 1, 2])
    spoilt.films[2] = torch.nan
    ours = clipped_sum(network, spoilt, small_recipe, None, 1.0)
    for one, other in zip(ours, clipped_sum(network, whole, small_recipe, None, 1.0), strict=True):
        assert torch.allclose(one, other, atol=1e-6)


def test_films_without_reports_are_nobodys_negatives(small_recipe: Recipe, make_films: MakeFilms) -> None:
    network = build(small_recipe)
    films = make_films(patients=4, films=1)
    silent = np.array(films.words)
    silent[2:] = 0
    some = replace(films, words=silent)
    plain = replace(small_recipe, contrast=0.0)
    both, two = batch_of(some, [0, 1, 2, 3]), batch_of(some, [0, 1])

    def contrast(batch: Batch) -> float:
        with torch.no_grad():
            more = batch_loss(network, batch, small_recipe) - batch_loss(network, batch, plain)
        return float(more * len(batch.films))

    assert contrast(both) == pytest.approx(contrast(two), rel=1e-4)
