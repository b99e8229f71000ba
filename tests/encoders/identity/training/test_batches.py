"""Pairs, patient batches and augmentation."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from medveil.encoders.identity.training.augment import Augmentation, augment
from medveil.encoders.identity.training.batches import PairBatches, PatientBatches, negative_pairs, positive_pairs
from medveil.errors import NotMeasurable

CODES = st.lists(st.integers(0, 5), min_size=3, max_size=30).map(lambda x: np.array(x, dtype=np.int64))


@given(CODES)
def test_positive_pairs_are_all_pairs_of_one_patient(codes: np.ndarray) -> None:
    counts = np.unique(codes, return_counts=True)[1]
    if len(counts) < 2 or counts.max() < 2:
        with pytest.raises(NotMeasurable):
            positive_pairs(codes)
        return
    pairs = positive_pairs(codes)
    assert len(pairs) == (counts * (counts - 1) // 2).sum()
    assert len({tuple(sorted(pair)) for pair in pairs.tolist()}) == len(pairs)
    assert (codes[pairs[:, 0]] == codes[pairs[:, 1]]).all()
    negatives = negative_pairs(codes, 50, np.random.default_rng(0))
    assert negatives.shape == (50, 2)
    assert (codes[negatives[:, 0]] != codes[negatives[:, 1]]).all()


@pytest.mark.parametrize("redrawn", [True, False])
def test_negatives_stay_or_are_redrawn(redrawn: bool) -> None:
    codes = np.repeat(np.arange(20), 3)
    batches = PairBatches(codes, batch=16, redrawn=redrawn, seed=1)

    def negatives(epoch: int) -> set[tuple[int, ...]]:
        drawn = [(p, y) for p, y in batches.epoch(np.random.default_rng(epoch))]
        assert len(drawn) == len(batches)
        assert sum(float(y.sum()) for _, y in drawn) == len(batches.positives)
        return {tuple(pair) for p, y in drawn for pair in p[y == 0].tolist()}

    assert (negatives(0) != negatives(1)) == redrawn


def test_patient_batches_hold_several_images_of_each() -> None:
    codes = np.array([0, 0, 0, 1, 2, 2, 3, 3, 3, 3])
    batches = PatientBatches(codes, patients=3, images=2, singles=True)
    for rows in batches.epoch(np.random.default_rng(0)):
        assert len(rows) == 6
        own = codes[rows].reshape(3, 2)
        assert (own[:, 0] == own[:, 1]).all()
        assert len(np.unique(own)) == 3
        several = np.isin(own[:, 0], [0, 2, 3])
        assert (rows.reshape(3, 2)[several, 0] != rows.reshape(3, 2)[several, 1]).all()
    without = PatientBatches(codes, patients=4, images=2, singles=False)
    assert all((codes[rows] != 1).all() for rows in without.epoch(np.random.default_rng(0)))


def test_without_repeats_more_patients_fill_a_batch() -> None:
    codes = np.repeat(np.arange(40), [2, 3, 4, 9] * 10)
    batches = PatientBatches(codes, patients=4, images=4, singles=False, repeats=False)
    for rows in batches.epoch(np.random.default_rng(0)):
        assert len(rows) == len(np.unique(rows)) == 16
        assert np.bincount(codes[rows]).max() <= 4
    with pytest.raises(NotMeasurable, match="two images"):
        PatientBatches(np.arange(5), patients=4, images=4, singles=False)


def test_augmentation_without_change_is_the_image_and_mirrors_whole_images() -> None:
    still = Augmentation(*[0.0] * len(fields(Augmentation)))
    image = torch.randint(1, 255, (2, 256, 256), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    turned = torch.tensor([False, True])
    out = augment(image, 256, torch.arange(2), turned, torch.Generator().manual_seed(0), still)
    wanted = image[:, None].float() / 255
    assert torch.allclose(out[0], wanted[0], atol=1e-3)
    assert torch.allclose(out[1], wanted[1].flip(2), atol=1e-3)


def test_all_images_of_a_patient_are_bent_alike() -> None:
    bend = Augmentation(0.1, *[0.0] * (len(fields(Augmentation)) - 1))
    image = torch.randint(1, 255, (1, 256, 256), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    people = torch.tensor([7, 3, 7])
    out = augment(image.repeat(3, 1, 1), 256, people, people < 0, torch.Generator().manual_seed(0), bend)
    assert torch.equal(out[0], out[2])
    assert (out[0] - out[1]).abs().mean() > 0.1
    assert (out[0] - image[0] / 255).abs().mean() > 0.1


def test_augmentation_is_drawn_from_its_generator_alone() -> None:
    image = torch.randint(0, 255, (3, 256, 256), dtype=torch.uint8)
    turned = torch.zeros(3, dtype=torch.bool)
    people = torch.arange(3)
    first, second, other = (augment(image, 96, people, turned, torch.Generator().manual_seed(s)) for s in (1, 1, 2))
    assert torch.equal(first, second)
    assert not torch.equal(first, other)
    assert first.shape == (3, 1, 96, 96)
    assert first.min() >= 0
    assert first.max() <= 1
