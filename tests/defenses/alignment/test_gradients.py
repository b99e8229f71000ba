from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap
from torch.nn import functional

from medveil.defenses.alignment.gradients import clipped_sum, unit_lengths
from medveil.defenses.alignment.heads import Heads, HeadShape, biovil_t_heads, heads_from_projections, random_heads
from medveil.defenses.alignment.losses import BatchInfoNCE, GroupInfoNCE, Loss, PublicNegatives

CLIP = 1.5
HEADS = {
    "biovil-t": biovil_t_heads(seed=0),
    "linear with bias": random_heads(HeadShape(9, 6, bias=True), HeadShape(7, 6, bias=True), seed=0),
    "small": random_heads(
        HeadShape(9, 6, hidden=8, groups=4), HeadShape(7, 6, hidden=8, bias=True, order="activation first"), seed=1
    ),
}


class Both(nn.Module):
    """The two heads as one module, for the independent computations."""

    def __init__(self, heads: Heads) -> None:
        super().__init__()
        self.image, self.report = nn.Sequential(*heads.image), nn.Sequential(*heads.report)

    def forward(self, images: Tensor, reports: Tensor) -> tuple[Tensor, Tensor]:
        return functional.normalize(self.image(images), dim=1), functional.normalize(self.report(reports), dim=1)


def features(heads: Heads, pairs: int, seed: int = 0) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return (
        torch.randn(pairs, heads.image.shape.inputs, generator=generator),
        torch.randn(pairs, heads.report.shape.inputs, generator=generator),
    )


def public_loss(heads: Heads, count: int = 11, seed: int = 99, temperature: float = 0.07) -> PublicNegatives:
    with torch.no_grad():
        kind = next(heads.parameters()).dtype
        public = (part.to(kind) for part in features(heads, count, seed))
        return PublicNegatives(*Both(heads)(*public), temperature)


def gradients_by_torch_func(heads: Heads, loss: Loss, images: Tensor, reports: Tensor) -> Tensor:
    """One flat gradient a pair, for a loss in which every pair is alone, in double precision."""
    module, images, reports = Both(heads.copy().double()), images.double(), reports.double()
    parameters = {name: value.detach() for name, value in module.named_parameters()}

    def alone(values: dict[str, Tensor], image: Tensor, report: Tensor) -> Tensor:
        return loss(*functional_call(module, values, (image[None], report[None]))).sum()

    found = vmap(grad(alone), in_dims=(None, 0, 0))(parameters, images, reports)
    return torch.cat([found[name].flatten(1) for name in parameters], 1)


def gradients_by_opacus(heads: Heads, loss: Loss, images: Tensor, reports: Tensor) -> Tensor:
    """One flat gradient a pair, as Opacus sees it: what reaches the heads through this pair's rows."""
    images, reports = images.double(), reports.double()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from opacus import GradSampleModule

        twin = heads.copy().to(images.dtype)
        module = GradSampleModule(Both(twin), loss_reduction="sum")
        loss(*module(images, reports)).sum().backward()
    return torch.cat([parameter.grad_sample.flatten(1) for parameter in module.parameters()], 1)


def clipped_by_hand(gradients: Tensor, units: Tensor, clip: float) -> Tensor:
    total = torch.zeros(gradients.shape[1], dtype=gradients.dtype)
    for unit in range(int(units.max()) + 1):
        own = gradients[units == unit].sum(0)
        total += own * min(1.0, clip / float(own.norm()))
    return total


def flat(parts: list[Tensor]) -> Tensor:
    return torch.cat([part.flatten() for part in parts])


def assert_same(found: Tensor, expected: Tensor, close: float = 1e-6) -> None:
    assert float((found - expected).norm() / expected.norm()) < close
    assert float((found - expected).abs().max()) < close * max(1.0, float(expected.abs().max()))


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("oracle", [gradients_by_torch_func, gradients_by_opacus])
@pytest.mark.parametrize("clip", [CLIP, 0.02])
def test_clipped_sum_of_pairs_equals_independent_gradients(name: str, oracle: object, clip: float) -> None:
    heads = HEADS[name]
    loss, (images, reports), units = public_loss(heads), features(heads, 16), torch.arange(16)
    gradients = oracle(heads, loss, images, reports)  # type: ignore[operator]
    assert_same(flat(clipped_sum(heads, loss, images, reports, units, clip)), clipped_by_hand(gradients, units, clip))


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("oracle", [gradients_by_torch_func, gradients_by_opacus])
def test_length_of_every_gradient_equals_independent_ones(name: str, oracle: object) -> None:
    """In double precision: near a kink of the heads, single precision differs by more than the method does."""
    heads = HEADS[name].copy().double()
    images, reports = (part.double() for part in features(heads, 16))
    loss = public_loss(heads)
    lengths = oracle(heads, loss, images, reports).norm(dim=1)  # type: ignore[operator]
    found = unit_lengths(heads, loss, images, reports, torch.arange(16))
    torch.testing.assert_close(found, lengths, rtol=1e-6, atol=0)
    assert (found >= lengths).all()


@pytest.mark.parametrize("name", HEADS)
def test_pairs_of_a_patient_are_clipped_together(name: str) -> None:
    heads = HEADS[name]
    loss, (images, reports) = public_loss(heads), features(heads, 12)
    images[4], reports[4] = images[2] + 0.01, reports[2]  # the same study again: gradients that add up
    units = torch.tensor([0, 1, 2, 0, 2, 2, 3, 1, 0, 2, 4, 4])
    gradients = gradients_by_torch_func(heads, loss, images, reports)
    assert_same(flat(clipped_sum(heads, loss, images, reports, units, CLIP)), clipped_by_hand(gradients, units, CLIP))


def test_groups_are_clipped_together() -> None:
    heads = HEADS["biovil-t"]
    (images, reports), groups = features(heads, 10), torch.tensor([0, 1, 0, 2, 1, 0, 1, 3, 3, 0])
    found = flat(clipped_sum(heads, GroupInfoNCE(groups, 0.07), images, reports, groups, CLIP))
    total = torch.zeros_like(found)
    module, images, reports = Both(heads.copy().double()), images.double(), reports.double()
    for group in range(4):
        inside = groups == group
        loss = BatchInfoNCE(0.07)(*module(images[inside], reports[inside])).sum()
        own = flat(list(torch.autograd.grad(loss, list(module.parameters()))))
        total += own * min(1.0, CLIP / max(float(own.norm()), 1e-12))
    assert_same(found, total)


def test_nominal_gradients_are_those_of_opacus() -> None:
    heads = HEADS["biovil-t"]
    loss, (images, reports), units = BatchInfoNCE(0.07), features(heads, 12), torch.arange(12)
    gradients = gradients_by_opacus(heads, loss, images, reports)
    assert_same(flat(clipped_sum(heads, loss, images, reports, units, CLIP)), clipped_by_hand(gradients, units, CLIP))


def test_without_clipping_it_is_the_gradient() -> None:
    heads = HEADS["small"]
    loss, (images, reports) = BatchInfoNCE(0.2), features(heads, 6)
    module = Both(heads)
    expected = flat(list(torch.autograd.grad(loss(*module(images, reports)).sum(), list(module.parameters()))))
    assert_same(flat(clipped_sum(heads, loss, images, reports, torch.arange(6), None)), expected, 1e-5)


def test_an_empty_batch_has_a_gradient_of_zeros() -> None:
    heads = HEADS["small"]
    parts = clipped_sum(heads, public_loss(heads), *features(heads, 0), torch.empty(0, dtype=torch.long), CLIP)
    assert [part.shape for part in parts] == [parameter.shape for parameter in heads.parameters()]
    assert all(not part.any() for part in parts)


def moved(heads: Heads, losses: tuple[Loss, Loss], units: Tensor, pairs: int, seed: int, clip: float) -> float:
    """How far the clipped sum moves when the last unit joins, in clipping norms."""
    images, reports = features(heads, pairs, seed)
    stay = units != units.max()
    without = flat(clipped_sum(heads, losses[0], images[stay], reports[stay], units[stay], clip))
    joined = flat(clipped_sum(heads, losses[1], images, reports, units, clip))
    return float((joined - without).norm()) / clip


@settings(max_examples=40)
@given(st.lists(st.integers(1, 3), min_size=2, max_size=6), st.integers(0, 999), st.sampled_from([0.01, 0.3, 1.5]))
def test_one_patient_moves_the_sum_by_at_most_the_clipping_norm(sizes: list[int], seed: int, clip: float) -> None:
    heads = HEADS["small"]
    units = torch.from_numpy(np.repeat(np.arange(len(sizes)), sizes))
    loss = public_loss(heads)
    assert moved(heads, (loss, loss), units, len(units), seed, clip) <= 1 + 1e-9


@settings(max_examples=40)
@given(st.lists(st.integers(0, 2), min_size=3, max_size=10), st.integers(0, 999), st.sampled_from([0.01, 0.3, 1.5]))
def test_one_pair_moves_the_sum_of_groups_by_at_most_twice_that(drawn: list[int], seed: int, clip: float) -> None:
    heads = HEADS["small"]
    images, reports = features(heads, len(drawn), seed)

    def clipped(rows: slice) -> Tensor:
        groups = torch.tensor(drawn[rows])
        codes = torch.from_numpy(np.unique(groups.numpy(), return_inverse=True)[1])
        return flat(clipped_sum(heads, GroupInfoNCE(groups, 0.07), images[rows], reports[rows], codes, clip))

    assert float((clipped(slice(None)) - clipped(slice(-1))).norm()) <= 2 * clip * (1 + 1e-9)


def test_groups_can_need_more_than_one_clipping_norm() -> None:
    """The factor of two is no idle caution: a pair can turn its group's gradient around."""
    farthest = 0.0
    heads = heads_from_projections(torch.eye(3), torch.eye(3))
    groups = torch.zeros(3, dtype=torch.long)
    for seed in range(300):
        images, reports = features(heads, 3, seed)
        two, three = (
            flat(clipped_sum(heads, GroupInfoNCE(groups[:n], 0.07), images[:n], reports[:n], groups[:n], 0.1))
            for n in (2, 3)
        )
        farthest = max(farthest, float((two - three).norm()) / 0.1)
    assert 1.5 < farthest <= 2 + 1e-5


def test_published_counterexample_breaks_the_nominal_bound() -> None:
    """B − 1 pairs with image e₀ + eᵢ and report eᵢ; then the pair with image e_B and report e₀ joins."""
    size, units = 128, torch.arange(128)
    basis = torch.eye(size + 1)
    heads = heads_from_projections(basis, basis)
    images = torch.cat([basis[0] + basis[1:size], basis[size:]])
    reports = torch.cat([basis[1:size], basis[:1]])
    for loss, low, high in (
        (BatchInfoNCE(0.07), 50.0, 60.0),
        (PublicNegatives(basis[:50], basis[50:100], 0.07), 0.0, 1 + 1e-5),
    ):
        without = flat(clipped_sum(heads, loss, images[:-1], reports[:-1], units[:-1], CLIP))
        joined = flat(clipped_sum(heads, loss, images, reports, units, CLIP))
        assert low <= float((joined - without).norm()) / CLIP <= high


@pytest.mark.parametrize("clipped_together", [1, 2])
@pytest.mark.parametrize("name", HEADS)
def test_features_of_no_ordinary_size_move_the_sum_by_at_most_the_clipping_norm(
    name: str, clipped_together: int
) -> None:
    """Huge ones overflowed to a gradient that was no number, and the heads with it."""
    heads, loss = HEADS[name], public_loss(HEADS[name])
    units = torch.arange(8) // clipped_together
    for size in (1e20, 3e38, 1e-45, 0.0):
        images, reports = features(heads, 8)
        images[-1], reports[-1] = images[-1] * size, reports[-1] * size
        joined = flat(clipped_sum(heads, loss, images, reports, units, CLIP))
        stay = slice(0, 8 - clipped_together)
        without = flat(clipped_sum(heads, loss, images[stay], reports[stay], units[stay], CLIP))
        assert float((joined - without).norm()) <= CLIP * (1 + 1e-9), size


@pytest.mark.parametrize("grouped", [False, True])
def test_a_unit_without_a_finite_length_is_left_out_and_spoils_nobody_elses(grouped: bool) -> None:
    heads = HEADS["small"]
    (images, reports), units = features(heads, 6), torch.tensor([0, 0, 1, 1, 2, 2])
    stay = units < 2
    for bad in (float("nan"), float("inf")):
        images[5, 3] = bad
        losses = [GroupInfoNCE(codes, 0.07) if grouped else public_loss(heads) for codes in (units, units[stay])]
        found = flat(clipped_sum(heads, losses[0], images, reports, units, CLIP))
        expected = flat(clipped_sum(heads, losses[1], images[stay], reports[stay], units[stay], CLIP))
        assert_same(found, expected, 1e-12)


def test_lengths_are_taken_in_double_precision() -> None:
    """Pairs of one person that all but cancel: in single precision their length is lost in rounding."""
    heads = heads_from_projections(torch.eye(4) * 1e-3, torch.eye(4) * 1e-3)
    images, reports = features(heads, 64, 3)
    images[1:], reports[1:] = images[:1] * (1 + 1e-7), reports[:1]
    lengths = unit_lengths(heads, public_loss(heads), images, reports, torch.zeros(64, dtype=torch.long))
    assert lengths.dtype == torch.float64
    assert all(part.dtype == torch.float64 for part in clipped_sum(
        heads, public_loss(heads), images, reports, torch.zeros(64, dtype=torch.long), CLIP
    ))  # fmt: skip
