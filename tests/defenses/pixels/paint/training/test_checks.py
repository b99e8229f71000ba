"""The Fréchet distance against its formula, and words that are read where they stand and not where they are gone."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from scipy.linalg import sqrtm

from medveil.defenses.pixels.paint.training.checks import frechet_distance, read_words

Bytes = NDArray[np.uint8]


def test_the_frechet_distance_is_the_formulas() -> None:
    rng = np.random.default_rng(1)
    one, two = rng.normal(0, 1, (50, 4)), rng.normal(0.5, 2, (70, 4)) @ rng.normal(0, 1, (4, 4))
    covariances = [np.cov(some.T) for some in (one, two)]
    root = sqrtm(covariances[0] @ covariances[1]).real
    expected = ((one.mean(0) - two.mean(0)) ** 2).sum() + np.trace(covariances[0] + covariances[1] - 2 * root)
    assert frechet_distance(torch.from_numpy(one), torch.from_numpy(two)) == pytest.approx(expected, rel=1e-6)
    assert frechet_distance(torch.from_numpy(one), torch.from_numpy(one)) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("masks", ["drawn", "detector"])
def test_words_are_read_until_they_are_gone(masks: str) -> None:
    images = np.full((6, 160, 160), 70, np.uint8)

    def leave(image: Bytes, mask: Bytes) -> Bytes:
        return image

    def wipe(image: Bytes, mask: Bytes) -> Bytes:
        assert mask.max() == 255
        return np.where(mask > 0, np.uint8(70), image)

    left = read_words(images, masks, leave, np.random.default_rng(2))
    assert left.words == 6 and left.before == left.after >= 5
    wiped = read_words(images, masks, wipe, np.random.default_rng(2))
    assert wiped.before == left.before and wiped.after == 0
