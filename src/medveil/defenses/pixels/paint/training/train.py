"""`train_inpainting`: a generator and its judge, against each other, resumable, checked on patients they never saw."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from medveil.defenses.pixels.paint.generator import Generator, PatchDiscriminator, composite, save_generator
from medveil.defenses.pixels.paint.training.checks import FEATURES, ReadWords, frechet_distance, read_words
from medveil.defenses.pixels.paint.training.crops import Batch, Crops
from medveil.defenses.pixels.paint.training.images import TrainingImages
from medveil.defenses.pixels.paint.training.losses import (
    PerceptualDistance,
    adversarial_loss,
    judge_loss,
    masked_difference,
    total_variation,
)
from medveil.defenses.pixels.paint.training.samples import SHOWN, write_samples
from medveil.defenses.pixels.paint.training.settings import InpaintingSettings
from medveil.defenses.pixels.paint.training.text_found import text_found
from medveil.errors import InputError
from medveil.runtime.storage import write_json
from medveil.training.average import averaged, follow, warming
from medveil.training.device import autocast, check_device, placed
from medveil.training.loop import Progress, Round, fingerprint_of, run
from medveil.training.schedule import falling

MODEL, RECORD, SAMPLES = "generator.safetensors", "training.json", "samples"
LOSSES = ("judge", "adversarial", "masked", "identity", "variation", "perceptual")
CHECKED = 8  # batches of validation crops, the same every time


@dataclass(frozen=True)
class TrainingResult:
    """Where the generator lies, its mean error in gray levels (0..1) inside masks on validation crops, how far these
    are from real ones as a whole, the words read before and after filling if any were written, and its way.
    """

    model: Path
    error: float
    frechet: float
    read: dict[str, int] | None
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
    looking: Callable[[int, int], None] | None = None,
) -> TrainingResult:
    """Train, writing the generator into `out` at every validation. Run again after a kill, or after `seconds`, it goes
    on from there. `looking` is told how many images were searched for text, where masks are the text found in them.
    """
    check_device(device)
    training = _Training(images, Path(out), settings, device, looking)
    with torch.backends.cudnn.flags(enabled=True, benchmark=True):
        course = run(training, Path(out), seconds=seconds, progress=progress)
    record = {"settings": settings.as_dict(), "features of the Fréchet distance": FEATURES, "history": course.history}
    write_json(training.out / RECORD, record)
    return TrainingResult(
        training.out / MODEL,
        course.kept["error"],
        course.kept["frechet"],
        course.kept.get("read"),
        training.epoch,
        images.set_aside,
        course.history,
        course.finished,
    )


class _Training:
    """One training run between two validations."""

    def __init__(
        self,
        images: TrainingImages,
        out: Path,
        settings: InpaintingSettings,
        device: str,
        looking: Callable[[int, int], None] | None,
    ) -> None:
        self.images, self.out, self.settings, self.device = images, out, settings, device
        channels = settings.architecture.channels
        found = text_found(images, looking) if settings.masks == "detector" else None
        crops = Crops(images, settings, device, found)
        self.crops, self.unseen = (crops.of(validation=part) for part in (False, True))
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
        return Round({"epoch": self.epoch, **self._validate(), **told})

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
            done = self.epoch * self.steps + number + 1
            follow(self.average, self.generator, warming(done - 1, self.settings.average))
            if self.settings.sample_every is not None and done % self.settings.sample_every == 0:
                self._sample(done)
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

    def _validate(self) -> dict[str, Any]:
        """The mean absolute error inside masks, in gray levels of 0..1, and the Fréchet distance, on the same unseen
        crops every time; how many words can be read, and a sheet of samples, where they are wanted.
        """
        rng = np.random.default_rng([self.settings.seed, 0x5EE])
        generator = self._kept().eval()
        errors, real, made = [], [], []
        with torch.inference_mode(), autocast(self.device):
            for _ in range(CHECKED):
                batch = self.unseen.draw(self.batch, rng, changed=False)
                painted = generator(batch.image, batch.mask)
                errors.append(masked_difference(painted.float(), batch.image, batch.mask) / 2)
                real.append(self.distance.summary(batch.image))
                made.append(self.distance.summary(composite(painted, batch.image, batch.mask)))
        told: dict[str, Any] = {"error": round(float(torch.stack(errors).mean()), 6)}
        told["frechet"] = round(frechet_distance(torch.cat(real), torch.cat(made)), 5)
        if self.settings.sample_every is None:
            self._sample(self.epoch * self.steps)
        if self.settings.words:
            told["read"] = asdict(self._read(generator))
        return told

    def _sample(self, steps: int) -> None:
        """The same unseen crops every time, so that one sees what is learnt."""
        batch = self.unseen.draw(SHOWN, np.random.default_rng([self.settings.seed, 0x5A]), changed=False)
        generator = self._kept().eval()
        with torch.inference_mode(), autocast(self.device):
            painted = generator(batch.image, batch.mask)
        folder = self.out / SAMPLES
        folder.mkdir(parents=True, exist_ok=True)
        write_samples(folder / f"step-{steps:07d}.png", batch.image, batch.mask, painted)

    def _read(self, generator: Generator) -> ReadWords:
        rng = np.random.default_rng([self.settings.seed, 0x4EAD])
        unseen = self.unseen.draw(self.settings.words, rng, changed=False).image[:, 0]
        images = ((unseen + 1) * 127.5).round().clamp(0, 255).to("cpu", torch.uint8).numpy()

        def paint(image: NDArray[np.uint8], mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
            gray = torch.from_numpy(image).to(self.device)[None, None].float() / 127.5 - 1
            gray = gray.expand(-1, self.settings.architecture.channels, -1, -1)
            soft = torch.from_numpy(mask).to(self.device)[None, None].float() / 255
            with torch.inference_mode(), autocast(self.device):
                painted = composite(generator(gray, soft), gray, soft).float().mean(1)
            return ((painted[0] + 1) * 127.5).round().clamp(0, 255).to("cpu", torch.uint8).numpy()

        return read_words(images, self.settings.masks, paint, rng)

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
