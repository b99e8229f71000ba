"""Several retrieval networks that look at an image together: each errs elsewhere, so the mean errs less."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.identity.retrieval import RetrievalNetwork


class Ensemble(nn.Module):
    """Gray images of 0..1 (n × 1 × side × side) to vectors of unit length: the members' own, side by side.

    The inner product of two such vectors is the mean of what the members find. One network is an ensemble too.
    """

    def __init__(self, members: Sequence[RetrievalNetwork]) -> None:
        super().__init__()
        self.members: Sequence[RetrievalNetwork] = nn.ModuleList(members)  # type: ignore[assignment]

    def forward(self, gray: Tensor) -> Tensor:
        units = [functional.normalize(member(gray).float(), dim=1) for member in self.members]
        return torch.cat(units, 1) / len(units) ** 0.5

    def attention(self, pair: Tensor) -> Tensor:
        """What in each of two images makes them alike to the members on average: 2 × side × side, 0..1, by Grad-CAM."""
        heat = torch.stack([_grad_cam(member, pair) for member in self.members]).mean(0)
        return heat / heat.amax((1, 2), keepdim=True).clamp(min=1e-12)


def _grad_cam(network: RetrievalNetwork, pair: Tensor) -> Tensor:
    """In units of similarity, so that a member counts by how much it finds."""
    with torch.enable_grad():
        maps = network.backbone(pair).detach().requires_grad_(True)
        unit = functional.normalize(network.head(maps).float(), dim=1)
        (gradient,) = torch.autograd.grad(unit[0] @ unit[1], maps)
    weights = gradient.mean((2, 3), keepdim=True)
    heat = functional.relu((weights * maps.detach()).sum(1, keepdim=True))
    return functional.interpolate(heat, size=pair.shape[2:], mode="bilinear", align_corners=False)[:, 0]
