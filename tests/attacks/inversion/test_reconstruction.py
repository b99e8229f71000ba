from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.func import functional_call, grad, vmap

from medveil.attacks.inversion.closed_form import film_of_patches
from medveil.attacks.inversion.judging import structural_similarity
from medveil.attacks.inversion.reconstruction import Gradients, Search, reconstruct
from medveil.attacks.inversion.undoing import undone
from medveil.errors import SettingsError

SIDE = 8


class Smooth(torch.nn.Module):
    """Small enough to be inverted in a second."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = torch.nn.Linear(SIDE * SIDE, 48), torch.nn.Linear(48, 3)

    def forward(self, films: Tensor) -> Tensor:
        found: Tensor = self.second(torch.sigmoid(self.first(films.flatten(1))))
        return found


def _films(updates: int) -> Tensor:
    rows = torch.linspace(0, 1, SIDE)
    ramps = [(rows[:, None] * turn + rows[None] * (1 - turn)) for turn in torch.linspace(0, 1, updates).tolist()]
    return torch.stack(ramps)[:, None, None]


def _gradients(updates: int) -> Gradients:
    torch.manual_seed(1)
    network = Smooth()
    values = {name: one.detach() for name, one in network.named_parameters()}
    labels = torch.arange(updates) % 3

    def loss(given: dict[str, Tensor], films: Tensor, label: Tensor) -> Tensor:
        found = functional_call(network, given, (films,))
        return torch.nn.functional.cross_entropy(found, label.expand(len(films)))

    def of(films: Tensor) -> Sequence[Tensor]:
        return list(vmap(grad(loss), in_dims=(None, 0, 0))(values, films, labels).values())

    return of


@pytest.mark.parametrize("way", ["distance", "direction"])
def test_films_come_out_of_bare_gradients_and_not_out_of_noisy_ones(way: str) -> None:
    films, gradients = _films(3), _gradients(3)
    observed = [one.detach() for one in gradients(films)]
    search = Search(way, steps=100, smooth=0.001)  # type: ignore[arg-type]
    found = reconstruct(gradients, observed, (1, SIDE), search, seed=1)
    assert found.films.shape == (3, 1, SIDE, SIDE)
    alike = [structural_similarity(films[n, 0, 0].numpy(), found.films[n, 0].numpy()) for n in range(3)]
    length = torch.sqrt(sum(one.square().sum() for one in observed))  # type: ignore[arg-type]
    noisy = [one + length * torch.randn(one.shape, generator=torch.Generator().manual_seed(2)) for one in observed]
    blind = reconstruct(gradients, noisy, (1, SIDE), search, seed=1)
    unlike = [structural_similarity(films[n, 0, 0].numpy(), blind.films[n, 0].numpy()) for n in range(3)]
    assert np.mean(alike) > 0.8 > 0.5 > np.mean(unlike)
    assert (found.mismatch < blind.mismatch).all()


def test_the_better_of_two_starts_is_kept_for_each_update() -> None:
    films, gradients = _films(2), _gradients(2)
    observed = [one.detach() for one in gradients(films)]
    one, two = (reconstruct(gradients, observed, (1, SIDE), Search(steps=8, starts=n), seed=3).mismatch for n in (1, 2))
    assert (two <= one).all()


def test_the_film_of_a_transformer_follows_from_its_gradient() -> None:
    chance = torch.Generator().manual_seed(1)
    patches = torch.rand((4, 16), generator=chance)  # of a film of 8 × 8
    places = torch.randn((4, 12), generator=chance)
    layer = (places.T @ patches).view(12, 1, 4, 4)
    film = film_of_patches(layer, places)
    for number, patch in enumerate(patches):
        row, column = divmod(number, 2)
        corner = film[4 * row : 4 * row + 4, 4 * column : 4 * column + 4]
        assert torch.allclose(corner.flatten(), patch, atol=1e-4)
    with pytest.raises(ValueError, match="square"):
        film_of_patches(layer, places[:3])


def test_a_step_of_adamw_gives_the_sizes_of_small_gradients_away() -> None:
    chance = torch.Generator().manual_seed(1)
    weights = [torch.randn((40, 30), generator=chance) * 0.05, torch.zeros(30)]
    gradient = [torch.randn(one.shape, generator=chance) * 1e-4 for one in weights]
    parameters = [torch.nn.Parameter(one.clone()) for one in weights]
    optimiser = torch.optim.AdamW(parameters, lr=1e-3, weight_decay=0.01)
    for parameter, one in zip(parameters, gradient, strict=True):
        parameter.grad = one.clone()
    optimiser.step()
    shared = [one.numpy() for one in weights]
    update = [new.detach().numpy() - old for new, old in zip(parameters, shared, strict=True)]
    found = undone(update, shared, rate=1e-3, decay=0.01)
    for one, doubt, other in zip(found.gradients, found.doubts, gradient, strict=True):
        assert np.corrcoef(one.ravel(), other.numpy().ravel())[0, 1] > 0.99
        assert (np.abs(one - other.numpy()) <= 4 * doubt + 1e-9).mean() > 0.9


def test_equations_count_by_how_sure_they_are() -> None:
    chance = torch.Generator().manual_seed(1)
    patches, places = torch.rand((4, 16), generator=chance), torch.randn((4, 24), generator=chance)
    layer = places.T @ patches
    doubt = torch.full(layer.shape, 1e-4)
    layer[:12] += 5 * torch.randn((12, 16), generator=chance)
    doubt[:12] = 5.0
    film = film_of_patches(
        layer.view(24, 1, 4, 4),
        places,
        layer_doubt=doubt.view(24, 1, 4, 4),
        place_doubt=torch.zeros(places.shape),
    )
    blind = film_of_patches(layer.view(24, 1, 4, 4), places)
    assert (film[:4, :4].flatten() - patches[0]).abs().max() < 0.01 < (blind[:4, :4].flatten() - patches[0]).abs().max()


def test_a_search_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(SettingsError, match="at least one step"):
        Search(steps=0)
