"""The losses equal pytorch-metric-learning's."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from medveil.encoders.identity.training import losses

pml = pytest.importorskip("pytorch_metric_learning")


@pytest.fixture
def batch() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    labels = torch.tensor([0, 0, 0, 1, 1, 2, 3, 3, 4, 5])  # 2, 4 and 5 have no partner
    return torch.randn((10, 16), generator=generator), labels


def test_pair_losses_equal_the_reference(batch: tuple[torch.Tensor, torch.Tensor]) -> None:
    from pytorch_metric_learning import losses as reference

    vectors, labels = batch
    both = [
        (losses.Contrastive(), reference.ContrastiveLoss(pos_margin=0, neg_margin=1)),
        (losses.SupervisedContrastive(), reference.SupConLoss(temperature=0.1)),
        (losses.MultiSimilarity(), reference.MultiSimilarityLoss(alpha=2, beta=50, base=0.5)),
        (losses.Circle(), reference.CircleLoss(m=0.25, gamma=64)),
    ]
    for ours, theirs in both:
        # images without a partner are in the batch: they must not count in the mean
        assert torch.isclose(ours(vectors, labels), theirs(vectors, labels), rtol=1e-4), type(ours).__name__


def test_proxy_losses_equal_the_reference(batch: tuple[torch.Tensor, torch.Tensor]) -> None:
    from pytorch_metric_learning import losses as reference

    vectors, labels = batch
    torch.manual_seed(0)
    for ours, theirs, name in (
        (losses.CosFace(6, 16), reference.CosFaceLoss(6, 16, margin=0.35, scale=32), "W"),
        (losses.ArcFace(6, 16), reference.ArcFaceLoss(6, 16, margin=28.6478897565, scale=32), "W"),
        (losses.ProxyAnchor(6, 16), reference.ProxyAnchorLoss(6, 16, margin=0.1, alpha=32), "proxies"),
    ):
        weights = ours.proxies.detach()
        getattr(theirs, name).data = weights.T.clone() if name == "W" else weights.clone()
        assert torch.isclose(ours(vectors, labels), theirs(vectors, labels), rtol=1e-3), type(ours).__name__


def test_memory_adds_pairs_with_earlier_batches(batch: tuple[torch.Tensor, torch.Tensor]) -> None:
    vectors, labels = batch
    memory = losses.CrossBatchMemory(4)
    for start in (0, 5):
        memory.push(vectors[start : start + 5], labels[start : start + 5])
    assert memory.held is not None
    held, held_labels = memory.held
    assert torch.equal(held_labels, labels[-4:])
    assert torch.allclose(held, functional.normalize(vectors[-4:], dim=1))
    loss = losses.SupervisedContrastive()
    alone, helped = loss(vectors[5:6], labels[5:6]), loss(vectors[5:6], labels[5:6], (vectors[:2], labels[5:7]))
    assert alone == 0
    assert helped > 0


@pytest.mark.parametrize("name", [*losses.PAIR_LOSSES, *losses.PROXY_LOSSES])
def test_every_loss_learns_to_tell_patients_apart(name: str) -> None:
    torch.manual_seed(1)
    labels = torch.arange(6).repeat_interleave(2)
    vectors = torch.nn.Parameter(torch.randn(12, 16))
    loss = losses.build_loss(name, 6, 16)
    optimizer = torch.optim.Adam([vectors, *loss.parameters()], lr=0.02)
    for _ in range(400):
        optimizer.zero_grad()
        loss(vectors, labels).backward()
        optimizer.step()
    unit = functional.normalize(vectors.detach(), dim=1)
    if name in losses.PROXY_LOSSES:
        assert torch.equal((unit @ functional.normalize(loss.proxies.detach(), dim=1).T).argmax(1), labels)  # type: ignore[operator]
    else:
        assert torch.equal(labels[(unit @ unit.T - 2 * torch.eye(12)).argmax(1)], labels)


def test_relation_loss_is_zero_for_the_teachers_own_vectors(batch: tuple[torch.Tensor, torch.Tensor]) -> None:
    unit = functional.normalize(batch[0], dim=1)
    assert losses.relation_loss(batch[0], unit @ unit.T) < 1e-10
    assert losses.relation_loss(batch[0].flip(0), unit @ unit.T) > 0.01
