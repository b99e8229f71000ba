"""Weights drawn from a source of their own: torch's own numbers, whatever other threads draw meanwhile."""

import torch
from torch import nn

from medveil.training.drawing import draw_weights


def network() -> nn.Module:
    return nn.Sequential(nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.Conv2d(3, 2, 1, bias=False), nn.Linear(4, 5))


def test_the_numbers_are_those_of_torch() -> None:
    drawn = network()
    draw_weights(drawn, 5)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        usual = network()
    assert all(map(torch.equal, drawn.parameters(), usual.parameters()))


def test_the_source_of_the_process_is_left_alone() -> None:
    one, state = network(), torch.get_rng_state()
    draw_weights(one, 5)
    assert torch.equal(torch.get_rng_state(), state)
