"""The losses against their equations, on numbers worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from medveil.defenses.pixels.paint.training.losses import (
    PerceptualDistance,
    adversarial_loss,
    judge_loss,
    masked_difference,
    total_variation,
)
from medveil.encoders.identity.networks.backbones import build_backbone
from medveil.errors import InputError


def test_least_squares() -> None:
    real, painted = torch.tensor([1.0, 0.5]), torch.tensor([0.0, 0.4])
    assert judge_loss(real, painted).item() == pytest.approx(0.125 + 0.08)
    assert adversarial_loss(painted).item() == pytest.approx((1 + 0.36) / 2)


def test_masked_difference_counts_the_mask_alone() -> None:
    image, painted = torch.zeros(1, 3, 2, 2), torch.full((1, 3, 2, 2), 9.0)
    mask = torch.tensor([[[[1.0, 0.5], [0.0, 0.0]]]])
    painted[..., 0, 0], painted[..., 0, 1] = 0.3, 0.6
    assert masked_difference(painted, image, mask).item() == pytest.approx((0.3 + 0.3) / 1.5)
    assert masked_difference(painted, image, torch.zeros_like(mask)).item() == 0


def test_total_variation() -> None:
    image = torch.tensor([[[[0.0, 1.0, 1.0], [0.0, 0.0, 2.0]]]])
    assert total_variation(image).item() == pytest.approx((1 + 0 + 0 + 2) / 4 + (0 + 1 + 1) / 3)


def test_the_perceptual_distance_grows_with_damage_and_reaches_the_image() -> None:
    distance = PerceptualDistance()
    draw = torch.Generator().manual_seed(1)
    image = torch.rand(2, 1, 48, 48, generator=draw) * 0.2
    noise = torch.randn(2, 1, 48, 48, generator=draw)
    damaged = (image + 0.3 * noise).requires_grad_(True)
    assert distance(image, image).max() == 0
    assert (distance(image, image + 0.02 * noise) < distance(image, damaged)).all()
    in_colour = distance(image.expand(-1, 3, -1, -1), damaged.expand(-1, 3, -1, -1))
    torch.testing.assert_close(in_colour, distance(image, damaged))
    distance(image, damaged).sum().backward()
    assert damaged.grad is not None and damaged.grad.abs().sum() > 0
    assert not any(parameter.requires_grad for parameter in distance.parameters())


def test_features_may_come_from_a_file(tmp_path: Path) -> None:
    network = build_backbone("efficientnet-lite0")
    save_file(network.state_dict(), tmp_path / "lite0.safetensors")
    loaded = PerceptualDistance(tmp_path / "lite0.safetensors").network
    assert torch.equal(loaded._conv_stem.weight, network._conv_stem.weight)
    save_file({"w": torch.zeros(2)}, tmp_path / "other.safetensors")
    with pytest.raises(InputError, match="does not hold"):
        PerceptualDistance(tmp_path / "other.safetensors")
    with pytest.raises(InputError, match="not a file"):
        PerceptualDistance(tmp_path / "none.safetensors")
