"""What the heads are trained to do: bring an image and its report together, and others apart.

A loss takes unit-length embeddings (images, reports; row i of both is pair i) and returns one number a pair. What one
person can change in the sum of clipped gradients, its sensitivity, depends on the loss:

`PublicNegatives`: sensitivity C. The loss of a pair is a function of its own two embeddings, of the heads, and of
public embeddings. So is its gradient. The public ones pass through the current heads, and the current heads carry
traces of earlier steps; but those steps were private and are given when this step is judged (adaptive composition),
and nothing else about other people enters. Adding a unit (a pair, or a patient with all pairs) to the batch therefore
adds one vector to the sum, of length at most C by clipping, and leaves every other vector as it was.

`GroupInfoNCE`: sensitivity 2C. The pairs of a batch lie in disjoint groups, every group's gradient is clipped to C,
and every unit draws its group by itself, whoever else is in the batch. Adding a unit changes one group, from one
vector of length at most C to another of length at most C; they can point in opposite directions, so the sum moves
by at most 2C, and no less can be promised. (Were the batch cut into groups in its order, one more pair would push the
others from group to group, and all groups would change.)

`BatchInfoNCE`: no bound. Every pair's loss depends on the whole batch, so one more pair changes all the vectors. With
B pairs the sum can move by B·C, and by more than half of that in the published example at B = 128.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

Loss = Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class PublicNegatives:
    """Each pair against a fixed set of public embeddings: its loss is its own.

    The public embeddings are held still within a step, as in momentum contrast: the gradient flows through the pair.
    """

    images: Tensor
    reports: Tensor
    temperature: float

    def __call__(self, images: Tensor, reports: Tensor) -> Tensor:
        public_images, public_reports = self.images.to(images.dtype), self.reports.to(reports.dtype)
        own = (images * reports).sum(1, keepdim=True) / self.temperature
        against_reports = torch.cat([own, images @ public_reports.T / self.temperature], 1)
        against_images = torch.cat([own, reports @ public_images.T / self.temperature], 1)
        return (torch.logsumexp(against_reports, 1) + torch.logsumexp(against_images, 1)) / 2 - own.squeeze(1)


@dataclass(frozen=True)
class BatchInfoNCE:
    """The symmetric contrastive loss over the batch; the mean over pairs is the published one."""

    temperature: float

    def __call__(self, images: Tensor, reports: Tensor) -> Tensor:
        return _info_nce(images @ reports.T / self.temperature)


@dataclass(frozen=True)
class GroupInfoNCE:
    """The same within disjoint groups: pairs of other groups are no negatives."""

    groups: Tensor
    temperature: float

    def __call__(self, images: Tensor, reports: Tensor) -> Tensor:
        apart = self.groups[:, None] != self.groups[None, :]
        return _info_nce((images @ reports.T / self.temperature).masked_fill(apart, -torch.inf))


@dataclass(frozen=True)
class EntropyInfoNCE:
    """The contrastive loss, and a reward for images whose reports are hard to tell apart (high entropy)."""

    temperature: float
    weight: float

    def __call__(self, images: Tensor, reports: Tensor) -> Tensor:
        scores = images @ reports.T / self.temperature
        log_shares = torch.log_softmax(scores, 1)
        return _info_nce(scores) + self.weight * (log_shares.exp() * log_shares).sum(1)


def _info_nce(scores: Tensor) -> Tensor:
    own = scores.diagonal()
    return (torch.logsumexp(scores, 1) + torch.logsumexp(scores, 0)) / 2 - own
