"""Momentum between rounds: Nesterov's, as PyTorch's SGD takes it, and none where none is asked for."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from medveil.federated.momentum import Arrays, pushed


@pytest.mark.parametrize("momentum", [0.0, 0.5, 0.9])
def test_rounds_go_as_nesterovs_sgd_goes_with_the_updates_for_gradients(momentum: float) -> None:
    rng = np.random.default_rng(3)
    shared: Arrays = [rng.standard_normal((4, 3)).astype(np.float32), rng.standard_normal(2).astype(np.float32)]
    updates = [[rng.standard_normal(part.shape).astype(np.float32) for part in shared] for _ in range(5)]
    parameters = [torch.nn.Parameter(torch.from_numpy(part.copy())) for part in shared]
    sgd = torch.optim.SGD(parameters, lr=1.0, momentum=momentum, nesterov=momentum > 0)
    speed: Arrays = []

    for update in updates:
        shared, speed = pushed(shared, speed, update, momentum)
        for parameter, part in zip(parameters, update, strict=True):
            parameter.grad = -torch.from_numpy(part)
        sgd.step()

    for ours, theirs in zip(shared, parameters, strict=True):
        np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=1e-5, atol=1e-5)


def test_a_round_leaves_what_it_was_given_as_it_was() -> None:
    shared: Arrays = [np.ones(3, np.float32)]
    update: Arrays = [np.full(3, 2, np.float32)]
    _, speed = pushed(shared, [], update, 0.5)
    pushed(shared, speed, update, 0.5)
    assert shared[0].tolist() == [1, 1, 1] and update[0].tolist() == [2, 2, 2] and speed[0].tolist() == [2, 2, 2]
