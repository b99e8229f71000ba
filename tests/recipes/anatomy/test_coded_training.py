from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from medveil.defenses.anatomy.coded.memorisation import Nearness
from recipes.anatomy.coded_training import PATIENCE, REAL, Audited, Moves, _chances, shaken


def test_rare_findings_are_shown_more_often_and_each_kind_has_its_share() -> None:
    labels = np.zeros((400, 16), np.float32)
    labels[:300, 0] = 1
    labels[300:330, 3] = 1
    drawn = np.arange(400) >= 350
    chances = _chances(labels, drawn)
    assert chances.sum() == pytest.approx(1, abs=1e-5) and chances[~drawn].sum() == pytest.approx(REAL, abs=1e-5)
    assert chances[310] > 3 * chances[10] > 0


def test_a_gradient_comes_back_through_small_changes() -> None:
    gray = torch.rand(3, 1, 64, 64, requires_grad=True)
    changed = shaken(gray, torch.Generator().manual_seed(0))
    assert changed.shape == gray.shape and bool(((changed >= 0) & (changed <= 1)).all())
    (gradient,) = torch.autograd.grad(changed.sum(), gray)
    assert bool((gradient != 0).float().mean() > 0.5)
    again = shaken(gray, torch.Generator().manual_seed(1))
    assert not torch.equal(changed, again)


class Brightness(nn.Module):
    """A network to which films are their mean and their spread."""

    def forward(self, gray: Tensor) -> Tensor:
        return torch.stack([gray.mean((1, 2, 3)), gray.std((1, 2, 3))], 1)


def films_that_show(told: Tensor, generator: torch.Generator) -> Tensor:
    """Brighter, where the first finding is there."""
    gray = 0.3 + 0.3 * told.view(-1, 1, 1, 1) + 0.1 * torch.rand(len(told), 1, 64, 64, generator=generator)
    return gray.clamp(0, 1)


def test_drawn_films_must_move_with_the_findings_as_real_ones_do() -> None:
    generator = torch.Generator().manual_seed(0)
    told = (torch.rand(400, generator=generator) < 0.5).float()
    means = torch.zeros(2, 24)
    means[1, 0] = 1
    films = (films_that_show(told, generator)[:, 0] * 255).byte()
    stock: Any = SimpleNamespace(
        device="cpu",
        generator=generator,
        films=films,
        nodes=told.long()[:, None],
        drawn=torch.zeros(400, dtype=torch.bool),
        meant=lambda nodes, drawn: torch.cat([drawn.float().unsqueeze(1), means[nodes]], 1),
    )
    losses = []
    for of in (told, 1 - told):  # as the code says, and the reverse
        moves = Moves(Brightness(), stock)  # type: ignore[arg-type]
        gray = shaken(films_that_show(of, generator), generator)
        losses.append(float(moves.loss(gray, stock.meant(told.long(), stock.drawn))))
    assert losses[0] < 0.1 * losses[1]


class Watch:
    def __init__(self, outcomes: list[bool]) -> None:
        self.outcomes = outcomes

    def told(self, sampler: nn.Module) -> tuple[dict[str, Any], dict[str, Nearness]]:
        memorised = self.outcomes.pop(0)
        return {}, {"people": Nearness(0.9 if memorised else 0.5, 0.7, 0.0)}


def trainee(outcomes: list[bool]) -> Audited:
    network = nn.Linear(1, 1)
    with torch.no_grad():
        network.weight.fill_(0)
    one = Audited(
        network=network,
        optimizer=torch.optim.SGD(network.parameters(), lr=0.1),
        loss=lambda: -network.weight.sum(),  # grows step by step
        score=lambda kept: {},
        save=lambda kept: None,
        device="cpu",
        seconds=1e6,
        rate=0.1,
        warm=1,
        every=0.0,
        average=0.0,
    )
    one.watch = Watch(outcomes)  # type: ignore[assignment]
    return one


def test_what_is_kept_is_the_last_that_repeats_nothing() -> None:
    one = trainee([False, False, *[True] * PATIENCE, False])
    weights = []
    while not one.finished:
        one.train_round()
        weights.append(float(one.kept.weight))  # type: ignore[arg-type]
    assert len(weights) == 2 + PATIENCE
    assert one.passed is not None and float(one.passed["weight"]) == weights[1] < weights[-1]
    assert one.audit is not None and one.audit["memorised"] is False


def test_a_resumed_run_remembers_what_passed(tmp_path: Path) -> None:
    one = trainee([False, True])
    one.train_round(), one.train_round()
    other = trainee([True])
    other.restore(one.state())
    assert other.strikes == 1 and other.passed is not None and other.audit == one.audit
    nothing = trainee([True])
    nothing.train_round()
    nothing.write(tmp_path)
    assert not list(tmp_path.iterdir())
