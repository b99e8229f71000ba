"""Training masks look like a detector's: some of the image, in lines, soft at the edge."""

from __future__ import annotations

import torch

from medveil.defenses.pixels.paint.training.crops import text_masks


def test_masks_cover_some_of_every_crop_and_follow_from_the_seed() -> None:
    masks = text_masks(200, 64, torch.Generator().manual_seed(5))
    assert masks.shape == (200, 1, 64, 64) and masks.min() == 0 and masks.max() == 1
    covered = (masks > 0).float().mean((1, 2, 3))
    assert 0.05 < covered.mean() < 0.5 and (covered > 0).float().mean() > 0.95
    assert ((masks > 0) & (masks < 1)).any()
    assert torch.equal(masks, text_masks(200, 64, torch.Generator().manual_seed(5)))
    assert not torch.equal(masks, text_masks(200, 64, torch.Generator().manual_seed(6)))


def test_most_masks_are_upright_boxes() -> None:
    hard = (text_masks(200, 64, torch.Generator().manual_seed(1)) > 0)[:, 0]
    # in an upright box, the rows that hold anything within one line repeat the row before
    repeats = (hard[:, 1:] == hard[:, :-1]).all(2).float().mean(1)
    assert repeats.median() > 0.8
