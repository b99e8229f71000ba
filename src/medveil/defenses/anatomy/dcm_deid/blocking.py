"""Identity blocking: which places of a film are hidden from the generator, and at which level."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

Kept = Literal["most-like", "least-like"]
"""What stays visible: the places most like the identity, as the paper prints it (S > T), or those least like it."""


def visible(likeness: Tensor, quantile: Tensor, keep: Kept = "most-like") -> Tensor:
    """Where S > T, with T each film's quantile of S (n × h × w, true is visible); so 1 − quantile of it stays.

    The other sign hides the same share of the film from the other end.
    """
    flat = likeness.flatten(1)
    flat = flat if keep == "most-like" else -flat
    threshold = torch.stack([torch.quantile(one, share) for one, share in zip(flat, quantile, strict=True)])
    return (flat > threshold.unsqueeze(1)).view_as(likeness)


def blocked(films: Tensor, shown: Tensor) -> Tensor:
    """Films with everything black that is not visible; places are upsampled to pixels by nearest neighbour."""
    mask = functional.interpolate(shown.unsqueeze(1).to(films), size=films.shape[2:], mode="nearest")
    return films * mask
