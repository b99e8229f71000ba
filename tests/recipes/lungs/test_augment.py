from __future__ import annotations

import torch

from recipes.lungs import augment
from recipes.lungs.phantoms import phantom


def batch() -> tuple[torch.Tensor, torch.Tensor]:
    films, masks = zip(*(phantom(number) for number in (1, 2)), strict=True)
    return (
        torch.stack([torch.from_numpy(film).float() / 255 for film in films]).unsqueeze(1),
        torch.stack([torch.from_numpy(mask).float() for mask in masks]).unsqueeze(1),
    )


def test_films_and_masks_move_together() -> None:
    _, masks = batch()
    generator = torch.Generator().manual_seed(3)
    grid = augment.places(2, 96, generator, masks.device)
    moved = augment.looked_at(masks, grid, torch.Generator().manual_seed(99))
    there = augment.masks_at(torch.ones_like(masks), grid) > 0.99  # around a film anything may be
    assert there.float().mean() > 0.3
    assert torch.equal((moved > 0.5)[there], (augment.masks_at(masks, grid) > 0.5)[there])


def test_every_change_leaves_a_film() -> None:
    films, masks = batch()
    generator = torch.Generator().manual_seed(4)
    for changed in (
        augment.in_the_style_of(films, films.flip(0), generator),
        augment.denser(films, masks, generator),
        augment.exposed(films, generator),
        augment.covered(films, generator),
    ):
        assert changed.shape == films.shape
        assert torch.isfinite(changed).all() and changed.min() >= 0 and changed.max() <= 1


def test_density_changes_the_lungs_alone() -> None:
    films, masks = batch()
    generator = torch.Generator().manual_seed(1)
    changed = [augment.denser(films, masks, generator) for _ in range(6)]
    assert all(torch.equal(one[masks == 0], films[masks == 0]) for one in changed)
    assert any(not torch.equal(one, films) for one in changed)
