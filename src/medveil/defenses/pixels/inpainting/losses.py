"""What the generator and its judge are trained to lower (equations 4 to 6 of the paper)."""

from __future__ import annotations

from torch import Tensor


def judge_loss(real: Tensor, painted: Tensor) -> Tensor:
    """Least squares: real patches towards 1, painted ones towards 0."""
    return ((real - 1) ** 2).mean() + (painted**2).mean()


def adversarial_loss(painted: Tensor) -> Tensor:
    """Low where the judge takes painted patches for real."""
    return ((painted - 1) ** 2).mean()


def masked_difference(painted: Tensor, image: Tensor, mask: Tensor) -> Tensor:
    """The mean difference where the mask is; with the mask's complement, the identity loss."""
    difference = (painted - image).abs() * mask
    return difference.sum() / (mask.sum() * image.shape[1]).clamp(min=1)


def total_variation(image: Tensor) -> Tensor:
    """The mean step between neighbours, across and down."""
    across = (image[..., :, 1:] - image[..., :, :-1]).abs().mean()
    down = (image[..., 1:, :] - image[..., :-1, :]).abs().mean()
    return across + down
