"""`train_inpainting`: a generator and its judge, against each other, resumable, checked on patients they never saw."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from medveil.defenses.pixels.paint.generator import Generator, PatchDiscriminator, composite, save_generator
from medveil.defenses.pixels.paint.training.crops import Batch, Crops
from medveil.defenses.pixels.paint.training.images import TrainingImages
from medveil.defenses.pixels.paint.training.losses import (
    PerceptualDistance,
    adversarial_loss,
    judge_loss,
    masked_difference,
    total_variation,
)
from medveil.defenses.pixels.paint.training.settings import InpaintingSettings
from medveil.errors import InputError
from medveil.runtime.storage import write_json
from medveil.training.average import averaged, follow, warming
from medveil.training.device import autocast, check_device, placed
from medveil.training.loop import Progress, Round, fingerprint_of, run
from medveil.training.schedule import falling

MODEL, RECORD = "generator.safetensors", "training.json"
LOSSES = ("judge", "adversarial", "masked", "identity", "variation", "perceptual")
CHECKED = 8  # batches of validation crops, the same every time


@dataclass(frozen=True)
class TrainingResult:
    """Where the generator lies, its mean error in gray levels (0..1) inside masks on validation crops, and its way."""

    model: Path
    error: float
    epochs: int
    set_aside: int
    history: list[dict[str, Any]]
    finished: bool  # or else the time was over first, and another run goes on


def train_inpainting(
    images: TrainingImages,
    out: Path,
    *,
    settings: InpaintingSettings,
    device: str = "cpu",
    progress: Progress | None = None,
    seconds: float | None = None,
) -> TrainingResult:
    """Train, writing the generator into `out` at every validation. Run again after a kill, or after `seconds`, it goes
    on from there.
    """
    check_device(device)
    training = _Training(images, Path(out), settings, device)
    with torch.backends.cudnn.flags(enabled=True, benchmark=True):
        course = run(training, Path(out), seconds=seconds, progress=progress)
    write_json(training.out / RECORD, {"settings": settings.as_dict(), "history": course.history})
    return TrainingResult(
        training.out / MODEL, course.kept["error"], training.epoch, images.set_aside, course.history, course.finished
    )


class _Training:
    """One training run between two validations."""

    def __init__(self, images: TrainingImages, out: Path, settings: InpaintingSettings, device: str) -> None:
        self.images, self.out, self.settings, self.device = images, out, settings, device
        channels = settings.architecture.channels
        self.crops, self.unseen = (
            Crops(images, settings.size, settings.shrink, channels, device, validation=part) for part in (False, True)
        )
        self.batch = min(settings.batch, self.crops.count)
        self.steps = math.ceil(self.crops.count / self.batch)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            generator, judge = Generator(settings.architecture), PatchDiscriminator(channels, settings.judge_width)
        self.generator, self.judge = placed(generator, device), placed(judge, device)
        self.distance = placed(PerceptualDistance(settings.features), device)
        self.average = averaged(self.generator)
        self.painter, self.critic = (_optimizer(network, settings) for network in (self.generator, self.judge))
        data = (images.pixels, images.shapes, images.patients, images.validation)
        self.fingerprint = fingerprint_of(settings.as_dict(), data)
        self.epoch = 0

    @property
    def finished(self) -> bool:
        return self.epoch >= self.settings.epochs

    def train_round(self) -> Round:
        """Train until the next validation, and validate."""
        stop = min(self.epoch + self.settings.validate_every, self.settings.epochs)
        losses = []
        while self.epoch < stop:
            losses.append(self._one_epoch())
            self.epoch += 1
        mean = torch.stack(losses).mean(0).tolist()
        if not all(map(math.isfinite, mean)):
            raise InputError(
                "training diverged (a loss is no longer a number); lower the rate and start in a new folder"
            )
        told = {name: round(value, 5) for name, value in zip(LOSSES, mean, strict=True)}
        return Round({"epoch": self.epoch, "error": self._validate(), **told})

    def keep(self) -> None:
        save_generator(self.out / MODEL, self._kept())

    def _one_epoch(self) -> Tensor:
        # every epoch has its own seed, so a run that goes on after a kill draws the same numbers
        rng = np.random.default_rng([self.settings.seed, self.epoch])
        total = torch.zeros(6, device=self.device)
        for number in range(self.steps):
            share = (self.epoch + number / self.steps) / self.settings.epochs
            for optimizer in (self.painter, self.critic):
                for group in optimizer.param_groups:
                    group["lr"] = falling(share, self.settings.rate, start=self.settings.decay_from)
            total += self._step(self.crops.draw(self.batch, rng))
            follow(self.average, self.generator, warming(self.epoch * self.steps + number, self.settings.average))
        return total / self.steps

    def _step(self, batch: Batch) -> Tensor:
        """First the judge learns to tell painted from real, then the generator to deceive it."""
        self.generator.train()
        with autocast(self.device):
            painted = self.generator(batch.image, batch.mask)
            joined = composite(painted, batch.image, batch.mask)
            real_scores, painted_scores = self.judge(batch.image), self.judge(joined.detach())
        judged = judge_loss(real_scores.float(), painted_scores.float())
        _descend(self.critic, judged)
        losses = self._painting_losses(batch, painted, joined)
        weights = self.settings.weights
        factors = (weights.adversarial, weights.masked, weights.identity, weights.variation, weights.perceptual)
        _descend(self.painter, torch.stack([f * loss for f, loss in zip(factors, losses, strict=True)]).sum())
        return torch.stack([judged, *losses]).detach()

    def _painting_losses(self, batch: Batch, painted: Tensor, joined: Tensor) -> list[Tensor]:
        self.judge.requires_grad_(False)
        with autocast(self.device):
            scores = self.judge(joined)
            distance = self.distance(joined, batch.image)
        self.judge.requires_grad_(True)
        painted = painted.float()
        return [
            adversarial_loss(scores.float()),
            masked_difference(painted, batch.image, batch.mask),
            masked_difference(painted, batch.image, 1 - batch.mask),
            total_variation(painted),
            distance.float().mean(),
        ]

    def _validate(self) -> float:
        """The mean absolute error inside masks, in gray levels of 0..1, on the same unseen crops every time."""
        rng = np.random.default_rng([self.settings.seed, 0x5EE])
        generator = self._kept().eval()
        errors = []
        with torch.inference_mode(), autocast(self.device):
            for _ in range(CHECKED):
                batch = self.unseen.draw(self.batch, rng, changed=False)
                painted = generator(batch.image, batch.mask)
                errors.append(masked_difference(painted.float(), batch.image, batch.mask) / 2)
        return round(float(torch.stack(errors).mean()), 6)

    def _kept(self) -> Generator:
        return self.average if self.settings.average else self.generator

    def _parts(self) -> dict[str, Any]:
        return {
            "generator": self.generator,
            "judge": self.judge,
            "average": self.average,
            "painter": self.painter,
            "critic": self.critic,
        }

    def state(self) -> dict[str, Any]:
        return {"epoch": self.epoch, **{name: part.state_dict() for name, part in self._parts().items()}}

    def restore(self, state: dict[str, Any]) -> None:
        self.epoch = state["epoch"]
        for name, part in self._parts().items():
            part.load_state_dict(state[name])


def _optimizer(network: nn.Module, settings: InpaintingSettings) -> torch.optim.Adam:
    fused = next(network.parameters()).is_cuda
    return torch.optim.Adam(network.parameters(), lr=settings.rate, betas=(0.5, 0.999), fused=fused)


def _descend(optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()
