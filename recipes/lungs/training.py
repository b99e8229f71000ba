"""Lungs learned from drawn films, and carried over to real ones that nobody has outlined.

A teacher, the average of the network's own weights, looks at a real film as it is, mirrored and in another light. Where
it is sure, the network must say the same of that film in any disguise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.training.average import averaged, follow
from medveil.training.device import autocast, placed
from medveil.training.loop import run
from medveil.training.timed import TimedTraining
from medveil.utility.lungs.network import SIDE, LungNetwork, save_lungs
from recipes.films import unpacked
from recipes.lungs import augment

BATCH = 48
ALONE = 0.35  # share of the time in which drawn films alone are learned from
SURE = 0.85  # of 1, either way
LEAST_SURE = 0.8  # share of a film's pixels, or the film teaches nothing
AREA = (0.1, 0.6)  # of the film: fewer or more are no lungs
KEEP = 0.996  # of the teacher's weights, a step
HELD_OUT = 100  # drawn films, to tell of the course


@dataclass
class Lessons:
    """Batches of both kinds, and the loss of the network on them."""

    network: LungNetwork
    drawn: Tensor
    masks: Tensor  # of lungs alone, or of several organs of which the lungs are the first
    real: Tensor
    device: str
    seconds: float
    seed: int = 0
    training: TimedTraining | None = None
    generator: torch.Generator = field(init=False)
    teacher: LungNetwork = field(init=False)

    def __post_init__(self) -> None:
        self.generator = torch.Generator(self.device).manual_seed(self.seed)
        self.teacher = averaged(self.network)

    def loss(self) -> Tensor:
        assert self.training is not None
        share = self.training.spent / self.seconds
        follow(self.teacher, self.network, min(KEEP, 1 - 1 / (self.training.steps + 1)))
        films, masks = self._drawn()
        if share < ALONE:
            return _loss(self._odds(self.network, films), masks, torch.ones_like(masks))
        disguised, taught, counts = self._real()
        odds = self._odds(self.network, torch.cat([films, disguised]))
        weight = min(1.0, (share - ALONE) / 0.2)
        return _loss(odds[: len(films)], masks, torch.ones_like(masks)) + weight * _loss(
            odds[len(films) :], taught, counts
        )

    def _odds(self, network: nn.Module, films: Tensor) -> Tensor:
        with autocast(self.device):
            odds: Tensor = network(films.contiguous(memory_format=torch.channels_last))
        return odds.float()

    def _rows(self, of: Tensor) -> Tensor:
        rows = torch.randint(len(of), (BATCH,), generator=self.generator, device=of.device)
        return _planes(of[rows])

    @torch.no_grad()
    def _drawn(self) -> tuple[Tensor, Tensor]:
        rows = torch.randint(len(self.drawn), (BATCH,), generator=self.generator, device=self.drawn.device)
        films, masks = (_planes(part[rows]) for part in (self.drawn, self.masks))
        films = augment.in_the_style_of(films, self._rows(self.real), self.generator)
        films = augment.denser(films, masks[:, :1], self.generator)
        grid = augment.places(BATCH, SIDE, self.generator, films.device)
        films = augment.looked_at(films, grid, self.generator)
        return self._disguised(films), (augment.masks_at(masks, grid) > 0.5).float()

    def _disguised(self, films: Tensor) -> Tensor:
        return augment.covered(augment.exposed(films, self.generator), self.generator)

    @torch.no_grad()
    def _real(self) -> tuple[Tensor, Tensor, Tensor]:
        films = self._rows(self.real)
        plain = functional.interpolate(films, size=(SIDE, SIDE), mode="bilinear", align_corners=False)
        taught = self._taught(plain)
        sure = ((taught > SURE) | (taught < 1 - SURE)).float()
        area = (taught[:, :1] > 0.5).float().mean((1, 2, 3), keepdim=True)
        useful = (sure.mean((1, 2, 3), keepdim=True) > LEAST_SURE) & (area > AREA[0]) & (area < AREA[1])
        grid = augment.places(BATCH, SIDE, self.generator, films.device)
        disguised = self._disguised(augment.looked_at(films, grid, self.generator))
        counts = (augment.masks_at(sure, grid) > 0.5) | (augment.masks_at(torch.ones_like(sure), grid) < 0.5)
        return disguised, (augment.masks_at(taught, grid) > 0.5).float(), counts.float() * useful

    def _taught(self, plain: Tensor) -> Tensor:
        """The mean of three looks; the teacher's running means are those of training, as they will be used."""
        self.teacher.eval()
        looks = (plain, plain.clamp(min=1e-4) ** 1.4, plain.clamp(min=1e-4) ** 0.7)
        odds = self._odds(self.teacher, torch.cat([looks[0], looks[1], looks[2].flip(-1)])).sigmoid().chunk(3)
        return (odds[0] + odds[1] + odds[2].flip(-1)) / 3


def _planes(stored: Tensor) -> Tensor:
    """Films or masks of 8 bits as n × planes × rows × columns, 0..1."""
    return (stored.unsqueeze(1) if stored.ndim == 3 else stored).float() / 255


def _loss(odds: Tensor, masks: Tensor, counts: Tensor) -> Tensor:
    """Cross-entropy, and one minus Dice, where it counts."""
    each = functional.binary_cross_entropy_with_logits(odds, masks, reduction="none")
    cross = (each * counts).sum() / counts.sum().clamp(min=1)
    likely, masks = odds.sigmoid() * counts, masks * counts
    both = (likely * masks).sum((2, 3))
    dice = (2 * both + 1) / (likely.sum((2, 3)) + masks.sum((2, 3)) + 1)
    taken = (counts.sum((2, 3)) > 0).float()
    return cross + ((1 - dice) * taken).sum() / taken.sum().clamp(min=1)


def train(data: Path, out: Path, *, device: str, seconds: float, seed: int = 0) -> None:
    """OUT/alone.safetensors after the drawn films, OUT/lungs.safetensors at the end."""
    films = np.load(data)
    drawn, masks, real = (
        torch.from_numpy(unpacked(films[name], films[f"{name} ends"])) for name in ("drawn", "masks", "real")
    )

    def save(kept: LungNetwork, alone: bool) -> None:
        for name in ("alone", "lungs") if alone else ("lungs",):
            save_lungs(out / f"{name}.safetensors", kept)

    out.mkdir(parents=True, exist_ok=True)
    teach(LungNetwork, (drawn, masks, real), save, device=device, seconds=seconds, seed=seed)


def teach(
    kind: type[LungNetwork],
    films: tuple[Tensor, Tensor, Tensor],
    save: Callable[[LungNetwork, bool], None],
    *,
    device: str,
    seconds: float,
    seed: int,
) -> None:
    """Of films that were drawn, their masks, and real films. `save` gets the network, and whether it has learned from
    drawn films alone so far."""
    torch.manual_seed(seed)
    drawn, masks, real = (part.to(device) for part in films)
    print(len(drawn), "drawn films,", len(real), "real ones", flush=True)
    network = placed(kind(), device)
    print(sum(one.numel() for one in network.parameters()), "parameters", flush=True)
    lessons = Lessons(network, drawn[:-HELD_OUT], masks[:-HELD_OUT], real, device, seconds, seed)
    held_out = (drawn[-HELD_OUT:], masks[-HELD_OUT:])

    def keep(kept: nn.Module) -> None:
        assert isinstance(kept, LungNetwork) and lessons.training is not None
        save(kept, lessons.training.spent < ALONE * seconds)

    lessons.training = TimedTraining(
        network=network,
        optimizer=torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=0.01),
        loss=lessons.loss,
        score=lambda kept: _told(kept, *held_out, lessons),
        save=keep,
        device=device,
        seconds=seconds,
        rate=2e-3,
        warm=200,
        every=max(2.0, seconds / 20),
    )
    run(lessons.training, progress=lambda told: print(told, flush=True))


@torch.no_grad()
def _told(kept: nn.Module, films: Tensor, masks: Tensor, lessons: Lessons) -> dict[str, Any]:
    """Dice on drawn films held out, as they are; of real films, the share of pixels that the network is sure of."""
    kept.eval()

    def looks(some: Tensor) -> Tensor:
        return functional.interpolate(_planes(some), size=(SIDE, SIDE), mode="bilinear", align_corners=False)

    lungs = lessons._odds(kept, looks(films)) > 0
    truth = looks(masks) > 0.5
    dice = 2 * (lungs & truth).sum((2, 3)) / (lungs.sum((2, 3)) + truth.sum((2, 3))).clamp(min=1)
    likely = lessons._odds(kept, looks(lessons.real[::9])).sigmoid()
    sure = ((likely > SURE) | (likely < 1 - SURE)).float().mean()
    area = (likely[:, 0] > 0.5).float().mean((1, 2))
    kept.train()
    return {
        "dice": [round(float(one), 4) for one in dice.mean(0)],
        "sure": round(float(sure), 4),
        "area": [round(float(area.quantile(part)), 3) for part in (0.05, 0.5, 0.95)],
    }
