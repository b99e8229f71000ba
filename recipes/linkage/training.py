"""Contrastive training of an image and a report network on pairs.

Needs NumPy, PyTorch and medveil's encoders alone.
"""

from __future__ import annotations

import copy
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.medveil_small.model import SmallModel
from medveil.encoders.medveil_small.vocabulary import Tokenizer, Words, split_words
from medveil.training.average import averaged, follow, warming
from medveil.training.checkpoint import read_tensors
from medveil.training.device import autocast
from medveil.training.loop import Round, as_record, fingerprint_of, run
from medveil.training.schedule import one_cycle
from recipes.linkage.augment import Changes, changed

BUCKETS = 4096


@dataclass(frozen=True)
class Pairs:
    """Image i goes with every text of `texts[i]`, the first being its own; equal `study` codes are no mistakes."""

    images: NDArray[np.uint8]
    texts: list[list[str]]
    study: NDArray[np.int64]


@dataclass(frozen=True)
class Training:
    epochs: int
    batch: int = 256
    peak: float = 1e-3
    backbone_share: float = 0.5  # of the learning rate, for what ImageNet taught already
    frozen: float = 0.08  # share of the steps in which that is left alone
    decay: float = 0.05
    average: float = 0.995  # of the weights, over steps
    lost_words: float = 0.1
    seed: int = 0
    changes: Changes = field(default_factory=Changes)


class TextSide(Protocol):
    """The report half of a model in training, with all texts at hand."""

    def __call__(self, rows: Tensor, generator: torch.Generator | None) -> Tensor: ...


class ReadTexts:
    """Texts that a report network reads; in training, some words are missing or known by their letters alone."""

    def __init__(self, model: SmallModel, reports: list[list[str]], device: str, lost: float = 0.0) -> None:
        self.model, self.lost = model, lost
        words = model.tokenizer.number(reports)
        self.words = replace(words, index=words.index.to(torch.int32)).to(device)
        self.lengths = (self.words.index > 0).sum(1)

    def __call__(self, rows: Tensor, generator: torch.Generator | None) -> Tensor:
        words = self.words
        width = -(-int(self.lengths[rows].max()) // 64) * 64  # few shapes: each is prepared anew
        index = words.index[rows, :width].long()
        if generator is not None:
            known = words.known * (self._draw(words.known.shape, generator) >= 0.15)
            words = Words(known, words.groups, words.starts, index)
            index = index * (self._draw(index.shape, generator) >= self.lost)
        return self.model.report.read(self.model.report.describe(words), index)

    def _draw(self, shape: torch.Size, generator: torch.Generator) -> Tensor:
        return torch.rand(shape, generator=generator, device=generator.device)


class KnownTexts:
    """Texts whose vectors another, frozen, network has made."""

    def __init__(self, head: nn.Module, vectors: NDArray[np.float32], device: str) -> None:
        self.head, self.vectors = head, torch.from_numpy(vectors).to(device)

    def __call__(self, rows: Tensor, generator: torch.Generator | None) -> Tensor:
        return self.head(self.vectors[rows])


def words_of(texts: list[str]) -> list[list[str]]:
    """Each text's words, on all cores; to be called before the accelerator is."""
    with ProcessPoolExecutor(mp_context=get_context("fork")) as pool:
        return list(pool.map(split_words, texts, chunksize=500))


def vocabulary_of(reports: list[list[str]], *, at_least: int) -> list[str]:
    """The words that stand in at least so many reports, in order."""
    counts = Counter(word for report in reports for word in set(report))
    return sorted(word for word, count in counts.items() if count >= at_least)


def fit(
    model: nn.Module,
    image: nn.Module,
    sides: Callable[[nn.Module], TextSide],
    pairs: Pairs,
    how: Training,
    *,
    device: str,
    say: Callable[[str], None],
    score: Callable[[nn.Module], float] | None = None,
    looks: int = 10,
) -> nn.Module:
    """Train in place; returns the average of the weights, where `score` was highest or else at the end.

    `image` is the part of `model` that sees images; `sides` makes the part that reads, for a model or its copy.
    """
    training = _Contrastive(model, image, sides(model), pairs, how, device, score, looks)
    began = time.time()

    def tell(told: dict[str, Any]) -> None:
        say(", ".join(f"{name} {value}" for name, value in told.items()) + f", {time.time() - began:.0f} s")

    run(training, patience=looks, progress=tell)
    training.average.load_state_dict(training.best)
    return training.average.eval()


class _Contrastive:
    """A trainee whose rounds are equal shares of its steps."""

    def __init__(
        self,
        model: nn.Module,
        image: nn.Module,
        reader: TextSide,
        pairs: Pairs,
        how: Training,
        device: str,
        score: Callable[[nn.Module], float] | None,
        looks: int,
    ) -> None:
        torch.manual_seed(how.seed)
        self.model, self.image, self.reader = model, image, reader
        self.how, self.device, self.score = how, device, score
        self.rng = np.random.default_rng(how.seed)
        self.generator = torch.Generator(device=device).manual_seed(how.seed)
        self.pixels = torch.from_numpy(pairs.images).to(device)
        self.choices = Choices(pairs, device)
        self.scale = nn.Parameter(torch.tensor(np.log(1 / 0.07), device=device, dtype=torch.float32))
        self.optimizer = torch.optim.AdamW(_groups(model, self.scale, how))
        self.average = averaged(model)
        self.best = self.average.state_dict()
        self.batch = min(how.batch, len(self.pixels))
        self.each = len(self.pixels) // self.batch
        self.steps, self.step = how.epochs * self.each, 0
        self.turns = [round(self.steps * (look + 1) / looks) for look in range(looks)]
        self.order = np.arange(len(self.pixels))
        self.fingerprint = fingerprint_of(as_record(how), (pairs.images, pairs.study))
        model.train()

    @property
    def finished(self) -> bool:
        return self.step >= self.steps

    def train_round(self) -> Round:
        stop = next(turn for turn in self.turns if turn > self.step)
        while self.step < stop:
            loss = self._step()
            self.step += 1
        merit = self.score(self.average.eval()) if self.score else None
        told = {"step": f"{self.step} of {self.steps}", "loss": round(loss.item(), 3)}
        return Round(told if merit is None else told | {"score": round(merit, 4)}, merit)

    def _step(self) -> Tensor:
        if self.step % self.each == 0:
            self.order = self.rng.permutation(len(self.pixels))
        rows = torch.from_numpy(self.order[self.step % self.each * self.batch :][: self.batch]).to(self.device)
        for group in self.optimizer.param_groups:
            frozen = group["backbone"] and self.step < self.how.frozen * self.steps
            group["lr"] = 0.0 if frozen else group["share"] * one_cycle(self.step, self.steps, self.how.peak)
        loss = self._loss(rows)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
        self.optimizer.step()
        follow(self.average, self.model, warming(self.step, self.how.average))
        return loss

    def _loss(self, rows: Tensor) -> Tensor:
        texts, right = self.choices.draw(rows, self.generator)
        gray = changed(self.pixels[rows], self.how.changes, self.generator)
        with autocast(self.device):
            seen, read = self.image(gray), self.reader(texts, self.generator)
        return contrast(seen, read, right, self.scale)

    def keep(self) -> None:
        self.best = copy.deepcopy(self.average.state_dict())

    def state(self) -> dict[str, Any]:
        parts = {"model": self.model, "average": self.average, "optimizer": self.optimizer}
        return {
            "step": self.step,
            "order": torch.from_numpy(self.order),
            "scale": self.scale.detach(),
            "best": self.best,
            "drawn": [self.rng.bit_generator.state, self.generator.get_state(), torch.get_rng_state()],
            **{name: part.state_dict() for name, part in parts.items()},
        }

    def restore(self, state: dict[str, Any]) -> None:
        self.step, self.order, self.best = state["step"], state["order"].numpy(), state["best"]
        self.model.load_state_dict(state["model"])
        self.average.load_state_dict(state["average"])
        self.optimizer.load_state_dict(state["optimizer"])
        with torch.no_grad():
            self.scale.copy_(state["scale"])
        numbers, generator, everywhere = state["drawn"]
        self.rng.bit_generator.state = numbers
        self.generator.set_state(generator)
        torch.set_rng_state(everywhere)


class Choices:
    """For each image two of its texts, and which texts of a batch answer which image."""

    def __init__(self, pairs: Pairs, device: str) -> None:
        counts = [len(texts) for texts in pairs.texts]
        self.first = torch.tensor(np.cumsum([0, *counts])[:-1], device=device)
        self.count = torch.tensor(counts, device=device)
        self.study = torch.from_numpy(pairs.study).to(device)
        same: dict[str, int] = {}
        codes = [same.setdefault(text, len(same)) for texts in pairs.texts for text in texts]
        self.code = torch.tensor(codes, device=device)

    def draw(self, rows: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Rows of the texts, two an image, and the share of each image's target that each text gets."""
        lot = torch.rand((2, len(rows)), generator=generator, device=rows.device)
        one = (lot[0] * self.count[rows]).long()
        two = (one + 1 + (lot[1] * (self.count[rows] - 1)).long()) % self.count[rows]
        texts = torch.cat([self.first[rows] + one, self.first[rows] + two])
        study = self.study[rows]
        right = study[:, None] == study.repeat(2)[None, :]
        same = self.code[texts][None, :] == self.code[texts][:, None]
        # a text equal to one of an image's own is right too
        right = right | (right.float() @ same.float() > 0)
        return texts, right.float()


def contrast(seen: Tensor, read: Tensor, right: Tensor, scale: Tensor) -> Tensor:
    """Both ways, each image's target spread over its right texts and each text's over its right images."""
    seen, read = (functional.normalize(part.float(), dim=1) for part in (seen, read))
    logits = scale.exp().clamp(max=100) * seen @ read.T
    to_texts = -(right / right.sum(1, keepdim=True) * logits.log_softmax(1)).sum(1).mean()
    to_images = -(right / right.sum(0, keepdim=True) * logits.log_softmax(0)).sum(0).mean()
    return (to_texts + to_images) / 2


def _groups(model: nn.Module, scale: Tensor, how: Training) -> list[dict[str, object]]:
    """The backbone apart; scales, shifts and the temperature do not decay."""
    groups: dict[tuple[bool, bool], list[Tensor]] = {}
    for name, value in model.named_parameters():
        backbone = "_blocks" in name or "_conv_" in name or "_bn" in name
        groups.setdefault((backbone, value.dim() > 1), []).append(value)
    groups[False, False].append(scale)
    return [
        {
            "params": values,
            "backbone": backbone,
            "share": how.backbone_share if backbone else 1.0,
            "weight_decay": how.decay if decays else 0.0,
        }
        for (backbone, decays), values in groups.items()
    ]


@torch.inference_mode()
def see(image: nn.Module, images: NDArray[np.uint8], device: str) -> NDArray[np.float32]:
    """The unit vectors of prepared images."""
    parts = []
    for part in torch.from_numpy(images).split(64):
        gray = part.to(device).unsqueeze(1).float() / 255
        parts.append(functional.normalize(image(gray).float(), dim=1).cpu())
    return torch.cat(parts).numpy()


@torch.inference_mode()
def read(side: TextSide, rows: int, device: str) -> NDArray[np.float32]:
    """The unit vectors of texts 0 to `rows`."""
    parts = torch.arange(rows, device=device).split(256)
    return torch.cat([functional.normalize(side(part, None).float(), dim=1).cpu() for part in parts]).numpy()


def quick_scores(images: NDArray[np.float32], reports: NDArray[np.float32], pool: int = 100) -> tuple[float, float]:
    """Expected Recall@1 and MRR in random pools, both directions, ties shared; for choosing, not for publishing."""
    scores = (images @ reports.T).astype(np.float64)
    n, recall, reciprocal = len(scores), [], []
    own = np.diag(scores)
    for side in (scores - own[:, None], scores.T - own[:, None]):
        above = (side > 1e-9).sum(1) + ((np.abs(side) <= 1e-9).sum(1) - 1) / 2
        draws = min(pool, n) - 1
        share = above / (n - 1)
        recall.append(((1 - share) ** draws).mean())
        reciprocal.append(np.mean([(1 - (1 - s) ** (draws + 1)) / ((draws + 1) * s) if s > 0 else 1.0 for s in share]))
    return float(np.mean(recall)), float(np.mean(reciprocal))


def new_model(vocabulary: list[str], *, start: Path, seed: int = 0) -> SmallModel:
    """Random but for what ImageNet taught the image network."""
    torch.manual_seed(seed)
    model = SmallModel(Tokenizer(vocabulary, BUCKETS))
    model.image.start_from(read_tensors(start))
    return model
