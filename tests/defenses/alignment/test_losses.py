from __future__ import annotations

import numpy as np
import torch
from scipy.special import logsumexp
from torch.nn import functional

from medveil.defenses.alignment.losses import BatchInfoNCE, EntropyInfoNCE, GroupInfoNCE, PublicNegatives

TEMPERATURE = 0.3


def embeddings(*counts: int, dim: int = 5, seed: int = 0) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [functional.normalize(torch.randn(n, dim, generator=generator, dtype=torch.double), dim=1) for n in counts]


def test_info_nce_is_the_published_equation() -> None:
    images, reports = embeddings(7, 7)
    scores, own = images @ reports.T / TEMPERATURE, torch.arange(7)
    expected = (functional.cross_entropy(scores, own) + functional.cross_entropy(scores.T, own)) / 2
    torch.testing.assert_close(BatchInfoNCE(TEMPERATURE)(images, reports).mean(), expected)


def test_entropy_is_the_published_equation() -> None:
    images, reports = embeddings(6, 6)
    scores = (images @ reports.T / TEMPERATURE).numpy()
    shares = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    expected = BatchInfoNCE(TEMPERATURE)(images, reports).numpy() + 0.7 * (shares * np.log(shares)).sum(1)
    np.testing.assert_allclose(EntropyInfoNCE(TEMPERATURE, 0.7)(images, reports).numpy(), expected)


def test_public_negatives_pair_by_pair() -> None:
    images, reports, public_images, public_reports = (part.numpy() for part in embeddings(4, 4, 9, 9))
    loss = PublicNegatives(torch.from_numpy(public_images), torch.from_numpy(public_reports), TEMPERATURE)
    found = loss(torch.from_numpy(images), torch.from_numpy(reports)).numpy()
    for i in range(4):
        own = images[i] @ reports[i] / TEMPERATURE
        first = logsumexp([own, *(images[i] @ public_reports.T / TEMPERATURE)]) - own
        second = logsumexp([own, *(reports[i] @ public_images.T / TEMPERATURE)]) - own
        np.testing.assert_allclose(found[i], (first + second) / 2)


def test_groups_are_info_nce_apart() -> None:
    images, reports = embeddings(8, 8)
    groups = torch.tensor([0, 1, 0, 2, 1, 0, 1, 1])
    found = GroupInfoNCE(groups, TEMPERATURE)(images, reports)
    for group in range(3):
        inside = groups == group
        torch.testing.assert_close(found[inside], BatchInfoNCE(TEMPERATURE)(images[inside], reports[inside]))
    assert found[3] == 0  # alone in its group: nothing to tell apart
