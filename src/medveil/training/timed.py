"""Training by the clock: as many steps as fit into some seconds, on data that is drawn meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from medveil.training.average import averaged, follow
from medveil.training.loop import Round
from medveil.training.schedule import warm_cosine


@dataclass
class TimedTraining:
    """A trainee whose rounds last `every` seconds; it keeps the average of the weights.

    `loss` draws a batch and returns its loss, `score` tells of a network what is to be told of a round, `save` writes
    one. How far it comes depends on the machine, so two runs are alike but not equal.
    """

    network: nn.Module
    optimizer: torch.optim.Optimizer
    loss: Callable[[], Tensor]
    score: Callable[[nn.Module], dict[str, Any]]
    save: Callable[[nn.Module], None]
    device: str
    seconds: float
    rate: float  # the peak
    warm: int = 300  # steps
    clip: float = 5.0  # length of the gradient
    average: float = 0.998  # how slowly the average follows
    every: float = 20.0
    fingerprint: str = ""
    steps: int = 0
    spent: float = 0.0
    kept: nn.Module = field(init=False)

    def __post_init__(self) -> None:
        self.kept = averaged(self.network)

    @property
    def finished(self) -> bool:
        return self.spent >= self.seconds

    def train_round(self) -> Round:
        began, before = time.monotonic(), self.spent
        losses: list[Tensor] = []
        while not losses or (not self.finished and self.spent - before < self.every):
            losses.append(self._step())
            self.spent = before + time.monotonic() - began
        mean = round(float(torch.stack(losses).mean()), 4)
        told = self.score(self.kept)
        self.spent = before + time.monotonic() - began
        return Round({"seconds": round(self.spent), "step": self.steps, "loss": mean, **told})

    def _step(self) -> Tensor:
        rate = warm_cosine(self.steps, self.spent / self.seconds, self.rate, warm=self.warm)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        loss = self.loss()
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), self.clip)
        self.optimizer.step()
        self.steps += 1
        follow(self.kept, self.network, min(self.average, 1 - 1 / (self.steps + 1)), buffers=False)
        return loss.detach()

    def keep(self) -> None:
        self.save(self.kept)

    def state(self) -> dict[str, Any]:
        return {
            "network": self.network.state_dict(),
            "kept": self.kept.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "steps": self.steps,
            "spent": self.spent,
        }

    def restore(self, state: dict[str, Any]) -> None:
        self.network.load_state_dict(state["network"])
        self.kept.load_state_dict(state["kept"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.steps, self.spent = state["steps"], state["spent"]
