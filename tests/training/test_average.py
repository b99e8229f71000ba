from __future__ import annotations

import pytest
import torch
from torch import nn

from medveil.training.average import averaged, follow, warming


def test_the_average_follows_slowly_and_no_gradient_reaches_it() -> None:
    network = nn.Linear(2, 1)
    average = averaged(network)
    start = network.weight.detach().clone()
    with torch.no_grad():
        network.weight += 1
    follow(average, network, 0.75)
    assert torch.allclose(average.weight, start + 0.25)
    assert not average.weight.requires_grad and network.weight.requires_grad


@pytest.mark.parametrize(("buffers", "expected"), [(True, 0.5), (False, 1.0)])
def test_buffers_are_averaged_or_taken_over(buffers: bool, expected: float) -> None:
    network = nn.BatchNorm1d(3)
    average = averaged(network)
    assert isinstance(network.running_mean, torch.Tensor) and isinstance(average.running_mean, torch.Tensor)
    network.running_mean += 1
    with torch.no_grad():
        network.weight += 1
    follow(average, network, 0.5, buffers=buffers)
    assert average.running_mean.tolist() == [expected] * 3
    assert average.weight.tolist() == [1.5] * 3


def test_at_first_little_is_kept() -> None:
    kept = [warming(step, 0.9) for step in (0, 10, 1000)]
    assert kept[0] == 0.1 and kept == sorted(kept) and kept[-1] == 0.9
