from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import nn

from medveil.training.loop import run
from medveil.training.timed import TimedTraining


def training(seconds: float, saved: list[nn.Module]) -> TimedTraining:
    torch.manual_seed(0)
    network = nn.Linear(4, 1)
    data = torch.randn(64, 4)
    truth = data.sum(1, keepdim=True)

    def loss(which: nn.Module = network) -> torch.Tensor:
        return ((which(data) - truth) ** 2).mean()

    def score(kept: nn.Module) -> dict[str, Any]:
        return {"error": float(loss(kept).detach())}

    optimizer = torch.optim.AdamW(network.parameters(), weight_decay=0.0)
    return TimedTraining(
        network, optimizer, loss, score, saved.append, "cpu", seconds, rate=0.05, warm=5, every=seconds / 4
    )


def test_it_learns_until_its_time_is_over_and_keeps_the_average() -> None:
    saved: list[nn.Module] = []
    trainee = training(0.6, saved)
    course = run(trainee)
    assert trainee.finished and trainee.steps > 10
    assert course.history[-1]["error"] < 0.5 * course.history[0]["error"]
    assert len(saved) == len(course.history) and saved[-1] is trainee.kept


def test_it_goes_on_with_the_time_that_is_left(tmp_path: Path) -> None:
    first = training(0.4, [])
    run(first, tmp_path, seconds=0)
    second = training(0.4, [])
    course = run(second, tmp_path)
    assert second.finished and second.steps > first.steps and len(course.history) > 1
