"""Losses for vectors with patient numbers: all pairs of a batch, or a learned proxy for every patient."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.errors import SettingsError


class PairLoss(nn.Module):
    """A loss over all pairs of a row and a column; the columns may hold vectors of earlier batches too."""

    def forward(self, vectors: Tensor, labels: Tensor, memory: tuple[Tensor, Tensor] | None = None) -> Tensor:
        rows = functional.normalize(vectors.float(), dim=1)
        columns, column_labels = rows, labels
        if memory is not None:
            columns, column_labels = torch.cat([rows, memory[0]]), torch.cat([labels, memory[1]])
        same = labels[:, None] == column_labels[None, :]
        self_pair = torch.zeros_like(same)
        self_pair.fill_diagonal_(True)
        return self.of_pairs(rows @ columns.T, same & ~self_pair, ~same)

    def of_pairs(self, cosine: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        raise NotImplementedError


class Contrastive(PairLoss):
    """Pulls pairs of one patient together, pushes others apart up to the margin; pairs that are right weigh nothing."""

    def __init__(self, margin: float = 1.0) -> None:
        super().__init__()
        self.margin = margin

    def of_pairs(self, cosine: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        distance = (2 - 2 * cosine).clamp(min=1e-12).sqrt()
        return _mean_of_nonzero(distance, positive) + _mean_of_nonzero(
            functional.relu(self.margin - distance), negative
        )


class SupervisedContrastive(PairLoss):
    """Softmax over all other images (InfoNCE with several positives)."""

    def __init__(self, temperature: float = 0.1) -> None:
        super().__init__()
        self.temperature = temperature

    def of_pairs(self, cosine: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        logits = cosine / self.temperature
        others = logits.masked_fill(~(positive | negative), -torch.inf)
        log_share = logits - torch.logsumexp(others, 1, keepdim=True)
        count = positive.sum(1)
        per_row = -torch.where(positive, log_share, 0.0).sum(1) / count.clamp(min=1)
        return per_row.sum() / (count > 0).sum().clamp(min=1)


class MultiSimilarity(PairLoss):
    """Weighs every pair by how it stands to the others of its row."""

    def __init__(self, alpha: float = 2.0, beta: float = 50.0, base: float = 0.5) -> None:
        super().__init__()
        self.alpha, self.beta, self.base = alpha, beta, base

    def of_pairs(self, cosine: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        pull = _log_one_plus_sum_exp(self.alpha * (self.base - cosine), positive) / self.alpha
        push = _log_one_plus_sum_exp(self.beta * (cosine - self.base), negative) / self.beta
        return (pull + push).mean()


class Circle(PairLoss):
    """Pairs far from where they belong pull harder."""

    def __init__(self, margin: float = 0.25, scale: float = 64.0) -> None:
        super().__init__()
        self.margin, self.scale = margin, scale

    def of_pairs(self, cosine: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        pull_weight = functional.relu(1 + self.margin - cosine.detach())
        push_weight = functional.relu(cosine.detach() + self.margin)
        pull = (-self.scale * pull_weight * (cosine - 1 + self.margin)).masked_fill(~positive, -torch.inf)
        push = (self.scale * push_weight * (cosine - self.margin)).masked_fill(~negative, -torch.inf)
        both = positive.any(1) & negative.any(1)
        per_row = functional.softplus(torch.logsumexp(pull[both], 1) + torch.logsumexp(push[both], 1))
        return per_row.sum() / both.sum().clamp(min=1)


class ProxyLoss(nn.Module):
    """A loss against one learned vector a patient."""

    def __init__(self, patients: int, dim: int) -> None:
        super().__init__()
        self.proxies = nn.Parameter(torch.randn(patients, dim) / math.sqrt(dim))

    def forward(self, vectors: Tensor, labels: Tensor, memory: tuple[Tensor, Tensor] | None = None) -> Tensor:
        cosine = functional.normalize(vectors.float(), dim=1) @ functional.normalize(self.proxies.float(), dim=1).T
        return self.of_proxies(cosine, labels)

    def of_proxies(self, cosine: Tensor, labels: Tensor) -> Tensor:
        raise NotImplementedError


class CosFace(ProxyLoss):
    """Softmax over patients, the true one's cosine lowered by the margin."""

    def __init__(self, patients: int, dim: int, margin: float = 0.35, scale: float = 32.0) -> None:
        super().__init__(patients, dim)
        self.margin, self.scale = margin, scale

    def of_proxies(self, cosine: Tensor, labels: Tensor) -> Tensor:
        true = functional.one_hot(labels, cosine.shape[1]).bool()
        return functional.cross_entropy(self.scale * self.lowered(cosine, true), labels)

    def lowered(self, cosine: Tensor, true: Tensor) -> Tensor:
        return torch.where(true, cosine - self.margin, cosine)


class ArcFace(CosFace):
    """The same, with the margin added to the angle."""

    def __init__(self, patients: int, dim: int, margin: float = 0.5, scale: float = 32.0) -> None:
        super().__init__(patients, dim, margin, scale)

    def lowered(self, cosine: Tensor, true: Tensor) -> Tensor:
        angle = cosine.clamp(-1 + 1e-7, 1 - 1e-7).acos()
        return torch.where(true & (angle <= math.pi - self.margin), (angle + self.margin).cos(), cosine)


class ProxyAnchor(ProxyLoss):
    """Every proxy gathers its own images and repels the others, hardest first."""

    def __init__(self, patients: int, dim: int, margin: float = 0.1, scale: float = 32.0) -> None:
        super().__init__(patients, dim)
        self.margin, self.scale = margin, scale

    def of_proxies(self, cosine: Tensor, labels: Tensor) -> Tensor:
        true = functional.one_hot(labels, cosine.shape[1]).bool()
        pull = _log_one_plus_sum_exp(-self.scale * (cosine - self.margin).T, true.T)
        push = _log_one_plus_sum_exp(self.scale * (cosine + self.margin).T, ~true.T)
        return pull.sum() / true.any(0).sum().clamp(min=1) + push.sum() / cosine.shape[1]


PAIR_LOSSES: dict[str, type[PairLoss]] = {
    "contrastive": Contrastive,
    "supervised-contrastive": SupervisedContrastive,
    "multi-similarity": MultiSimilarity,
    "circle": Circle,
}
PROXY_LOSSES: dict[str, type[ProxyLoss]] = {"cosface": CosFace, "arcface": ArcFace, "proxy-anchor": ProxyAnchor}


def build_loss(name: str, patients: int, dim: int) -> nn.Module:
    if name in PAIR_LOSSES:
        return PAIR_LOSSES[name]()
    if name in PROXY_LOSSES:
        return PROXY_LOSSES[name](patients, dim)
    raise SettingsError(f"there is no loss of that name; choose from {', '.join([*PAIR_LOSSES, *PROXY_LOSSES])}")


class CrossBatchMemory:
    """The vectors of the last images, as further negatives and positives: they drift slowly."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.held: tuple[Tensor, Tensor] | None = None

    def push(self, vectors: Tensor, labels: Tensor) -> None:
        vectors = functional.normalize(vectors.detach().float(), dim=1)
        if self.held is not None:
            vectors, labels = torch.cat([self.held[0], vectors]), torch.cat([self.held[1], labels])
        self.held = (vectors[-self.size :], labels[-self.size :])


def relation_loss(student: Tensor, teacher: Tensor) -> Tensor:
    """How far the student's similarities lie from the teacher's (a square matrix), images with themselves aside."""
    unit = functional.normalize(student.float(), dim=1)
    difference = (unit @ unit.T - teacher).square()
    n = len(unit)
    return (difference.sum() - difference.diagonal().sum()) / (n * (n - 1))


def _mean_of_nonzero(values: Tensor, mask: Tensor) -> Tensor:
    counted = mask & (values > 0)
    return (values * counted).sum() / counted.sum().clamp(min=1)


def _log_one_plus_sum_exp(values: Tensor, mask: Tensor) -> Tensor:
    """log(1 + Σ exp) along rows over the masked values; 0 for a row without any."""
    values = values.masked_fill(~mask, -torch.inf)
    return torch.logsumexp(functional.pad(values, (0, 1)), 1)
