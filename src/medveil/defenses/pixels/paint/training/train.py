"""`train_inpainting`: a generator and its judge, against each other, resumable, checked on patients they never saw."""

from __future__ import annotations

import copy
import hashlib
import json
import math
from collections.abc import Callable
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
from medveil.encoders.identity.networks.backbones import placed
from medveil.errors import InputError, SettingsError
from medveil.runtime.storage import atomic_path, write_json

MODEL, STATE, RECORD = "generator.safetensors", "state.pt", "training.json"
CHECKED = 8  # batches of validation crops, the same every time
Progress = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class TrainingResult:
    """Where the generator lies, its mean error in gray levels (0..1) inside masks on validation crops, and its way."""

    model: Path
    error: float
    epochs: int
    set_aside: int
    history: list[dict[str, Any]]


def train_inpainting(
    images: TrainingImages,
    out: Path,
    *,
    settings: InpaintingSettings,
    device: str = "cpu",
    progress: Progress | None = None,
) -> TrainingResult:
    """Train, writing the generator into `out` at every validation. Run again after a kill, it goes on from there."""
    _check(device)
    run = _Run(images, Path(out), settings, device)
    run.resume()
    with torch.backends.cudnn.flags(enabled=True, benchmark=True):
        while run.epoch < settings.epochs:
            run.next_epochs()
            if progress is not None:
                progress(run.history[-1])
    return run.result()


class _Run:
    """The state of one training run between two validations."""

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
        self.average = copy.deepcopy(self.generator).requires_grad_(False)
        self.painter, self.critic = (_optimizer(network, settings) for network in (self.generator, self.judge))
        self.mark = self._fingerprint()
        self.epoch = 0
        self.history: list[dict[str, Any]] = []

    def next_epochs(self) -> None:
        """Train until the next validation, then save everything."""
        stop = min(self.epoch + self.settings.validate_every, self.settings.epochs)
        losses = []
        while self.epoch < stop:
            losses.append(self._one_epoch())
            self.epoch += 1
        mean = torch.stack(losses).mean(0).tolist()
        told = dict(zip(("judge", "adversarial", "masked", "identity", "variation", "perceptual"), mean, strict=True))
        self.history.append(
            {"epoch": self.epoch, "error": self._validate(), **{name: round(value, 5) for name, value in told.items()}}
        )
        if not all(map(math.isfinite, mean)):
            raise InputError(
                "training diverged (a loss is no longer a number); lower the rate and start in a new folder"
            )
        save_generator(self.out / MODEL, self._kept())
        self._save()

    def _one_epoch(self) -> Tensor:
        # every epoch has its own seed, so a run that goes on after a kill draws the same numbers
        rng = np.random.default_rng([self.settings.seed, self.epoch])
        total = torch.zeros(6, device=self.device)
        for number in range(self.steps):
            for optimizer in (self.painter, self.critic):
                for group in optimizer.param_groups:
                    group["lr"] = self._rate(self.epoch + number / self.steps)
            total += self._step(self.crops.draw(self.batch, rng))
            self._follow(self.epoch * self.steps + number)
        return total / self.steps

    def _step(self, batch: Batch) -> Tensor:
        """First the judge learns to tell painted from real, then the generator to deceive it."""
        self.generator.train()
        with self._autocast():
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
        with self._autocast():
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
        with torch.inference_mode(), self._autocast():
            for _ in range(CHECKED):
                batch = self.unseen.draw(self.batch, rng, changed=False)
                painted = generator(batch.image, batch.mask)
                errors.append(masked_difference(painted.float(), batch.image, batch.mask) / 2)
        return round(float(torch.stack(errors).mean()), 6)

    def _kept(self) -> Generator:
        return self.average if self.settings.average else self.generator

    def _follow(self, step: int) -> None:
        """The average of the weights over the last steps, at first over few: steadier than the weights themselves."""
        decay = min(self.settings.average, (1 + step) / (10 + step))
        kept, new = (_floating(network) for network in (self.average, self.generator))
        with torch.no_grad():
            torch._foreach_lerp_(kept, new, 1 - decay)

    def _rate(self, epoch: float) -> float:
        start = self.settings.decay_from
        left = 1.0 if start == 1 else min(1.0, (1 - epoch / self.settings.epochs) / (1 - start))
        return self.settings.rate * left

    def _autocast(self) -> torch.autocast:
        return torch.autocast(torch.device(self.device).type, torch.bfloat16, enabled=self.device != "cpu")

    def _parts(self) -> dict[str, Any]:
        return {
            "generator": self.generator,
            "judge": self.judge,
            "average": self.average,
            "painter": self.painter,
            "critic": self.critic,
        }

    def _save(self) -> None:
        state = {"settings": self.mark, "epoch": self.epoch, "history": self.history}
        with atomic_path(self.out / STATE) as temporary:
            torch.save({**state, **{name: part.state_dict() for name, part in self._parts().items()}}, temporary)

    def resume(self) -> None:
        """Take up the state a killed run left in the output folder, if it belongs to this very run."""
        path = self.out / STATE
        if not path.is_file():
            return
        state = torch.load(path, map_location=self.device, weights_only=True)
        if state["settings"] != self.mark:
            raise InputError(f"{self.out} holds a run with other settings or images; choose another folder")
        self.epoch, self.history = state["epoch"], state["history"]
        for name, part in self._parts().items():
            part.load_state_dict(state[name])

    def _fingerprint(self) -> str:
        digest = hashlib.sha256(json.dumps(self.settings.as_dict(), sort_keys=True).encode())
        for array in (self.images.pixels, self.images.shapes, self.images.patients, self.images.validation):
            digest.update(array.tobytes())
        return digest.hexdigest()

    def result(self) -> TrainingResult:
        write_json(self.out / RECORD, {"settings": self.settings.as_dict(), "history": self.history})
        return TrainingResult(
            self.out / MODEL, self.history[-1]["error"], self.epoch, self.images.set_aside, self.history
        )


def _check(device: str) -> None:
    """Before anything is read or written."""
    kind = device.partition(":")[0]
    if kind not in ("cpu", "cuda"):
        raise SettingsError("the device must be cpu or cuda; correct --device")
    if kind == "cuda" and not torch.cuda.is_available():
        raise SettingsError("there is no usable CUDA device; use --device cpu")


def _optimizer(network: nn.Module, settings: InpaintingSettings) -> torch.optim.Adam:
    fused = next(network.parameters()).is_cuda
    return torch.optim.Adam(network.parameters(), lr=settings.rate, betas=(0.5, 0.999), fused=fused)


def _descend(optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()


def _floating(network: nn.Module) -> list[Tensor]:
    return [value for value in network.state_dict().values() if value.is_floating_point()]
