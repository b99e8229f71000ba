"""Identity blocking: which places of a film are hidden from the generator, and at which level."""

from __future__ import annotations

from typing import Literal

from torch import Tensor
from torch.nn import functional

Kept = Literal["most-like", "least-like"]
"""What stays visible: the places most like the identity, as the paper prints it (S > T), or those least like it."""


def visible(likeness: Tensor, quantile: Tensor, keep: Kept = "most-like") -> Tensor:
    """Where S > T, with T each film's quantile of S (n × h × w, true is visible); so 1 − quantile of it stays.

    The other sign hides the same share of the film from the other end.
    """
    flat = likeness.flatten(1) if keep == "most-like" else -likeness.flatten(1)
    return (flat > _quantiles(flat, quantile)).view_as(likeness)


def _quantiles(rows: Tensor, share: Tensor) -> Tensor:
    """A quantile of its own for each row (n × 1), between two values in a line, as usual."""
    ordered = rows.sort(1).values
    at = share.to(rows).unsqueeze(1) * (rows.shape[1] - 1)
    below = at.floor()
    low, high = ordered.gather(1, below.long()), ordered.gather(1, at.ceil().long())
    return low + (high - low) * (at - below)


def blocked(films: Tensor, shown: Tensor) -> Tensor:
    """Films with everything black that is not visible; places are upsampled to pixels by nearest neighbour."""
    mask = functional.interpolate(shown.unsqueeze(1).to(films), size=films.shape[2:], mode="nearest")
    return films * mask
