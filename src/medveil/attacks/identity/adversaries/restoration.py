"""A network that learns from other patients' films to undo what a defense did to them."""

from __future__ import annotations

from dataclasses import asdict
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.attacks.identity.adversaries.effort import Effort
from medveil.attacks.identity.adversaries.learning import learn
from medveil.encoders.identity.inference import FEW, as_input
from medveil.encoders.identity.networks.backbones import fold_normalisation
from medveil.encoders.identity.networks.retrieval_network import RetrievalNetwork
from medveil.encoders.identity.preparing import SIDE
from medveil.training.average import averaged, follow, warming
from medveil.training.device import autocast, placed
from medveil.training.drawing import draw_weights
from medveil.training.loop import Progress, Round, fingerprint_of
from medveil.training.schedule import one_cycle

RATE = 2e-3
AVERAGE = 0.98
MANY = 256


class Restorer(nn.Module):
    """A UNet of four sizes on gray films (n × 1 × side × side, 0..1); it says what to add to a film."""

    def __init__(self, width: int, seed: int) -> None:
        super().__init__()
        widths = [width, 2 * width, 4 * width, 8 * width]
        self.down = nn.ModuleList(_block(a, b) for a, b in zip([1, *widths[:-1]], widths, strict=True))
        self.up = nn.ModuleList(_block(a + b, a) for a, b in pairwise(widths))
        self.last = nn.Conv2d(width, 1, 1)
        draw_weights(self, seed)
        nn.init.zeros_(self.last.weight)
        assert self.last.bias is not None
        nn.init.zeros_(self.last.bias)

    def forward(self, gray: Tensor) -> Tensor:
        x, passed = gray * 2 - 1, []
        for number, block in enumerate(self.down):
            x = block(functional.avg_pool2d(x, 2) if number else x)
            passed.append(x)
        for block, beside in zip(reversed(self.up), reversed(passed[:-1]), strict=True):
            x = functional.interpolate(x, scale_factor=2.0, mode="nearest")
            x = block(torch.cat([x, beside], 1))
        return gray + self.last(x)


def _block(channels: int, out: int) -> nn.Sequential:
    parts: list[nn.Module] = []
    for taken in (channels, out):
        parts += [nn.Conv2d(taken, out, 3, padding=1, bias=False), nn.BatchNorm2d(out), nn.ReLU(inplace=True)]
    return nn.Sequential(*parts)


class Restoring:
    """The network in training, for `training.loop`: absolute difference, and likeness in the eyes of `judge`."""

    def __init__(
        self,
        defended: Tensor,
        original: Tensor,
        judge: RetrievalNetwork | None,
        effort: Effort,
        *,
        device: str,
        seed: int,
    ) -> None:
        self.defended, self.original, self.effort, self.device, self.seed = defended, original, effort, device, seed
        self.judge = None
        if judge is not None:
            self.judge = placed(fold_normalisation(judge.eval().requires_grad_(False)), device)
        with torch.random.fork_rng(devices=[]):
            self.network = placed(Restorer(effort.width, seed), device)
        self.average = averaged(self.network)
        self.optimizer = torch.optim.AdamW(self.network.parameters(), lr=RATE, weight_decay=1e-3, fused=device != "cpu")
        self.step = 0

    @cached_property
    def fingerprint(self) -> str:
        told = ["restored", asdict(self.effort), self.seed, self.judge is None]
        return fingerprint_of(told, (self.defended.cpu().numpy(), self.original.cpu().numpy()))

    @property
    def finished(self) -> bool:
        return self.step >= self.effort.restoring_steps

    def train_round(self) -> Round:
        self.network.train()
        rng = np.random.default_rng([self.seed, 1, self.step])
        steps = min(self.effort.every, self.effort.restoring_steps - self.step)
        losses = [self._step(rng.choice(len(self.defended), self.effort.restored_films)) for _ in range(steps)]
        return Round({"step": self.step, "loss": round(float(torch.stack(losses).mean()), 4)})

    def _step(self, rows: np.ndarray) -> Tensor:
        for group in self.optimizer.param_groups:
            group["lr"] = one_cycle(self.step, self.effort.restoring_steps, RATE, rise=0.15)
        chosen = torch.from_numpy(rows).to(self.device)
        seen, wanted = (as_input(films[chosen], self.effort.restored_size) for films in (self.defended, self.original))
        with autocast(self.device):
            made = self.network(seen).float()
            loss = functional.l1_loss(made, wanted)
            if self.judge is not None:
                found = functional.cosine_similarity(self.judge(made).float(), self._judged(wanted), dim=1)
                loss = loss + self.effort.likeness * (1 - found).mean()
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        self.step += 1
        follow(self.average, self.network, warming(self.step, AVERAGE))
        return loss.detach()

    def _judged(self, wanted: Tensor) -> Tensor:
        assert self.judge is not None
        with torch.no_grad():
            return self.judge(wanted).float()

    def keep(self) -> None:
        """The state has it all."""

    def state(self) -> dict[str, Any]:
        return {"step": self.step, **{name: part.state_dict() for name, part in self._parts().items()}}

    def restore(self, state: dict[str, Any]) -> None:
        self.step = state["step"]
        for name, part in self._parts().items():
            part.load_state_dict(state[name])

    def _parts(self) -> dict[str, Any]:
        return {"network": self.network, "average": self.average, "optimizer": self.optimizer}


class Restored:
    """What came of it: films as they may have been, 256 × 256 pixels of 8 bits."""

    def __init__(self, trained: Restoring) -> None:
        self.network = trained.average.eval()
        self._size, self._device = trained.effort.restored_size, trained.device

    def films(self, defended: Tensor) -> Tensor:
        batch = FEW if torch.device(self._device).type == "cpu" else MANY
        return torch.cat([self._one(part) for part in torch.split(defended, batch)])

    @torch.inference_mode()
    def _one(self, defended: Tensor) -> Tensor:
        with autocast(self._device):
            made = self.network(as_input(defended, self._size)).float()
        full = functional.interpolate(made, size=(SIDE, SIDE), mode="bicubic", align_corners=False)
        return (full[:, 0] * 255).round().clamp(0, 255).to(torch.uint8)


def restore(trainee: Restoring, keep: Path | None, progress: Progress) -> Restored:
    learn(trainee, keep, progress)
    return Restored(trainee)
