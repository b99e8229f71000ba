from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.defenses.alignment.coupling import LARGE, PAIRS, Coupling, coupling, heads_coupling, joining
from medveil.defenses.alignment.heads import HeadShape, biovil_t_heads, random_heads
from medveil.defenses.alignment.losses import BatchInfoNCE, EntropyInfoNCE, GroupInfoNCE, PublicNegatives

PAIRED = torch.arange(PAIRS) // 2
HEADS = random_heads(HeadShape(9, 6, hidden=8, groups=4), HeadShape(7, 6), seed=0)


def public(dim: int) -> PublicNegatives:
    images, reports = (functional.normalize(torch.randn(5, dim, generator=torch.Generator()), dim=1) for _ in range(2))
    return PublicNegatives(images, reports, 0.07)


def test_public_negatives_are_accepted() -> None:
    for units in (None, PAIRED):
        assert not heads_coupling(HEADS, public(6), units).found
    assert not heads_coupling(biovil_t_heads(seed=0), public(128)).found


def test_losses_over_the_batch_are_refused() -> None:
    for loss in (BatchInfoNCE(0.07), EntropyInfoNCE(0.07, 0.1)):
        found = heads_coupling(HEADS, loss)
        assert found.found and found.derivative > 0 and found.exchange > 0


def test_groups_are_accepted_by_group_and_refused_by_pair() -> None:
    assert not heads_coupling(HEADS, GroupInfoNCE(PAIRED, 0.07), PAIRED).found
    assert heads_coupling(HEADS, GroupInfoNCE(PAIRED, 0.07)).found


def test_batch_norm_in_a_head_is_found() -> None:
    image, report = nn.Sequential(nn.Linear(9, 6), nn.BatchNorm1d(6)), nn.Linear(7, 6)

    def losses(images: Tensor, reports: Tensor) -> Tensor:
        return public(6)(functional.normalize(image(images), dim=1), functional.normalize(report(reports), dim=1))

    assert coupling(losses, 9, 7).found
    image.eval()
    assert not coupling(losses, 9, 7).found


def test_what_is_taken_out_of_the_graph_is_found_by_exchange() -> None:
    def detached(images: Tensor, reports: Tensor) -> Tensor:
        others = reports.detach()
        return torch.logsumexp(images @ others.T, 1) - (images * reports).sum(1)

    found = heads_coupling(HEADS, detached)
    assert found.derivative == 0 and found.found


def test_what_is_not_a_number_is_refused() -> None:
    assert Coupling(math.nan, 0.0).found and Coupling(0.0, math.nan).found
    assert coupling(lambda images, reports: images.sum(1) * math.nan, 9, 7).found


def test_one_unit_more_moves_the_clipped_sum_by_the_sensitivity_at_most() -> None:
    loss, together = public(6), torch.arange(LARGE)
    for clip in (1e-4, 1.5):
        found = joining(HEADS, lambda _: loss, together // 2, clip, sensitivity=clip, pairs=2)
        assert 0.99 < found <= 1 + 1e-9
        found = joining(HEADS, lambda codes: GroupInfoNCE(codes, 0.07), together % 100, clip, sensitivity=2 * clip)
        assert 0 < found <= 1 + 1e-9


def test_what_couples_large_batches_only_is_found_by_joining() -> None:
    own = public(6)

    def crowded(images: Tensor, reports: Tensor) -> Tensor:
        return own(images, reports) * (1 + len(images) % 2 if len(images) > PAIRS else 1)

    assert not heads_coupling(HEADS, crowded).found
    moved = joining(HEADS, lambda _: crowded, torch.arange(LARGE), 1e3, sensitivity=1e3)
    assert Coupling(0.0, 0.0, moved).found


def test_what_couples_close_features_only_is_found_by_joining() -> None:
    own, linear = public(6), random_heads(HeadShape(9, 6), HeadShape(7, 6), seed=0)

    def alike(images: Tensor, reports: Tensor) -> Tensor:
        twins = (images.double() @ images.double().T > 1 - 1e-6).sum(1, keepdim=True).detach()
        return own(images, reports) * (1 + twins.squeeze(1) % 2)

    assert not heads_coupling(linear, alike).found
    moved = joining(linear, lambda _: alike, torch.arange(LARGE), 1e3, sensitivity=1e3)
    assert Coupling(0.0, 0.0, moved).found
    assert Coupling(0.0, 0.0, math.nan).found
