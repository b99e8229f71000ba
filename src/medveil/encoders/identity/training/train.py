"""`train`: an identity network from a cohort, resumable, chosen on patients it never saw."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.identity.inference import as_input
from medveil.encoders.identity.networks.model_file import Kind, load_into, read_architecture, save_network
from medveil.encoders.identity.networks.retrieval_network import RetrievalNetwork
from medveil.encoders.identity.training.augment import augment
from medveil.encoders.identity.training.batches import negative_pairs, positive_pairs
from medveil.encoders.identity.training.images import Films, FilmsOnDisk, TrainingImages, from_cohort
from medveil.encoders.identity.training.losses import relation_loss
from medveil.encoders.identity.training.objectives import (
    AllPairs,
    Batch,
    Objective,
    OfflinePairs,
    OnlineMining,
    Teachers,
)
from medveil.encoders.identity.training.settings import TrainingSettings
from medveil.encoders.identity.verifier import VerificationNetwork
from medveil.errors import InputError
from medveil.runtime.storage import write_json
from medveil.stats.auc import WeightedAUC
from medveil.training.average import averaged, follow
from medveil.training.device import autocast, check_device, placed
from medveil.training.loop import Progress, Round, fingerprint_of, run
from medveil.training.schedule import find_peak, one_cycle

if TYPE_CHECKING:
    from medveil.cohort import Cohort

MODEL, RECORD = "model.safetensors", "training.json"
BATCH = 64  # images embedded at once for validation
BLOCK = 256  # of them compared with all others at once
MOST_SQUARE = 4096  # images, all pairs of which are compared
MOST_PAIRS = 50_000  # where there are more: the published validation set
Similarity = Callable[[NDArray[np.intp]], NDArray[np.float32]]
Network = RetrievalNetwork | VerificationNetwork


@dataclass(frozen=True)
class Scores:
    """Share of images whose nearest other image is of the same patient, and the area over all pairs."""

    precision_at_1: float
    pair_auc: float


@dataclass(frozen=True)
class TrainingResult:
    """Where the model lies, what it scored on the validation patients, and how it got there."""

    model: Path
    scores: Scores
    epochs: int
    rate: float
    set_aside: int
    history: list[dict[str, Any]]
    finished: bool  # or else the time was over first, and another run goes on
    pairs: int | None = None  # of offline mining, in the training set


def train(
    kind: Kind,
    cohort: Cohort,
    out: Path,
    *,
    settings: TrainingSettings,
    device: str = "cpu",
    progress: Progress | None = None,
    seconds: float | None = None,
    reading: Callable[[int, int], None] | None = None,
) -> TrainingResult:
    """Train on the cohort's split 'train', choose on 'val', write the model into `out`."""
    check_device(device)
    images = from_cohort(cohort, settings.preparation, reading)
    return train_on(kind, images, out, settings=settings, device=device, progress=progress, seconds=seconds)


def train_on(
    kind: Kind,
    images: TrainingImages,
    out: Path,
    *,
    settings: TrainingSettings,
    device: str = "cpu",
    progress: Progress | None = None,
    seconds: float | None = None,
) -> TrainingResult:
    """The same from prepared images. Run again after a kill or after `seconds`, it goes on from the last validation."""
    check_device(device)
    if images.side < settings.size:
        raise InputError(
            f"the images were prepared at {images.side} pixels a side, and the network is to look at {settings.size}; "
            "prepare them at that size"
        )
    training = _Training(kind, images, Path(out), settings, device)
    with torch.backends.cudnn.flags(enabled=True, benchmark=True):
        course = run(training, Path(out), patience=settings.patience, seconds=seconds, progress=progress)
    record = {"kind": kind, "settings": settings.as_dict(), "rate": training.rate, "history": course.history}
    pairs = training.objective.pairs if isinstance(training.objective, OfflinePairs) else None
    if pairs is not None:
        record["pairs"] = pairs
    write_json(training.out / RECORD, record)
    scores = Scores(course.kept["precision_at_1"], course.kept["pair_auc"])
    return TrainingResult(
        training.out / MODEL, scores, training.epoch, training.rate, images.set_aside, course.history, course.finished,
        pairs,
    )  # fmt: skip


class _Training:
    """One training run between two validations."""

    def __init__(self, kind: Kind, images: TrainingImages, out: Path, settings: TrainingSettings, device: str) -> None:
        self.kind, self.images, self.out, self.settings, self.device = kind, images, out, settings, device
        pixels, self.codes = images.part(validation=False)
        self.pixels = pixels if isinstance(pixels, FilmsOnDisk) else torch.from_numpy(pixels).to(device)
        self.patients = int(self.codes.max()) + 1
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            self.network: Network = placed(build_network(kind, settings), device)
            self.objective = self._objective()
            self.objective.modules.to(device)
        self.average = averaged(self.network)
        self.teachers = Teachers(settings.teachers, device)
        self.optimizer = self._optimizer()
        self.rate = settings.rate or 0.0
        self.epoch = 0
        told = [kind, settings.as_dict(), self.patients]
        self.fingerprint = fingerprint_of(told, (images.told, images.patients))

    @property
    def finished(self) -> bool:
        return self.epoch >= self.settings.all_epochs

    def train_round(self) -> Round:
        """Train until the next validation, and validate."""
        if self.rate == 0:
            self.rate = self._search_rate()
        stop = min(self.epoch + self.settings.validate_every, self.settings.all_epochs)
        losses = []
        while self.epoch < stop:
            losses.append(self._one_epoch())
            self.epoch += 1
        pixels, codes = self.images.part(validation=True)
        scores = score(self._similarity(pixels), codes)
        merit = scores.pair_auc + (scores.precision_at_1 if self.kind == "reidentification" else 0)
        return Round({"epoch": self.epoch, "loss": round(float(np.mean(losses)), 5), **asdict(scores)}, merit)

    def keep(self) -> None:
        save_network(self.out / MODEL, self.average, self.settings.architecture(self.kind))

    def _one_epoch(self) -> float:
        # every epoch has its own seed, so a run that goes on after a kill draws the same numbers
        rng = np.random.default_rng([self.settings.seed, self.epoch])
        generator = torch.Generator(self.device).manual_seed(int(rng.integers(2**62)))
        frozen = self.epoch < self.settings.frozen_epochs
        start = 0 if frozen else self.settings.frozen_epochs
        steps = (self.settings.frozen_epochs if frozen else self.settings.epochs) * len(self.objective)
        total = torch.zeros((), device=self.device)
        for number, (batch, films) in enumerate(self._with_films(self.objective.epoch(rng))):
            rate, momentum = self._pace((self.epoch - start) * len(self.objective) + number, steps)
            total += self._step(batch, films, rate, momentum, rng, generator, frozen)
        return float(total / len(self.objective))

    def _with_films(self, batches: Iterator[Batch]) -> Iterator[tuple[Batch, Tensor]]:
        """Each batch with its films; those on disk are read while the batch before is learned from."""
        if isinstance(self.pixels, Tensor):
            for batch in batches:
                yield batch, self.pixels[torch.from_numpy(batch.rows).to(self.device)]
            return
        with ThreadPoolExecutor(1) as reader:
            waiting: list[tuple[Batch, Future[NDArray[np.uint8]]]] = []
            for batch in batches:
                waiting.append((batch, reader.submit(self.pixels.__getitem__, batch.rows)))
                if len(waiting) == 2:
                    ready, films = waiting.pop(0)
                    yield ready, torch.from_numpy(films.result()).to(self.device)
            for ready, films in waiting:
                yield ready, torch.from_numpy(films.result()).to(self.device)

    def _pace(self, step: int, steps: int) -> tuple[float, float]:
        """Rate and momentum of a step of a cycle."""
        how = self.settings
        if how.schedule == "constant":
            return self.rate, how.momentum
        rate = one_cycle(step, steps, self.rate, rise=how.rise, first=how.first, last=how.last)
        if how.least_momentum is None:
            return rate, how.momentum
        most = how.momentum / how.least_momentum
        return rate, one_cycle(step, steps, how.least_momentum, rise=how.rise, first=most, last=most)

    def _step(
        self,
        batch: Batch,
        films: Tensor,
        rate: float,
        momentum: float,
        rng: np.random.Generator,
        generator: torch.Generator,
        frozen: bool,
    ) -> Tensor:
        self._set_mode(frozen)
        for group in self.optimizer.param_groups:
            group["lr"] = rate * group["share"]
            if "momentum" in group:
                group["momentum"] = momentum
        loss = self._loss(batch, films, rng, generator)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        if frozen:
            for parameter in self._backbone().parameters():
                parameter.grad = None
        if self.settings.clip is not None:
            nn.utils.clip_grad_norm_(self.network.parameters(), self.settings.clip)
        self.optimizer.step()
        self._follow()
        return loss.detach()

    def _loss(self, batch: Batch, films: Tensor, rng: np.random.Generator, generator: torch.Generator) -> Tensor:
        labels = self.codes[batch.rows]
        mirrored = np.zeros(self.patients, dtype=bool)
        if self.settings.mirror:
            mirrored = rng.random(self.patients) < 0.5
        turned = torch.from_numpy(mirrored[labels]).to(self.device)
        identities = torch.from_numpy(labels + self.patients * mirrored[labels]).to(self.device)
        if self.settings.augmentation is None:
            gray = as_input(films, self.settings.size)
            gray = torch.where(turned[:, None, None, None], gray.flip(3), gray)
        else:
            gray = augment(films, self.settings.size, identities, turned, generator, self.settings.augmentation)
        with autocast(self.device):
            output = self.network(gray)
        loss = self.objective.loss(self.network, output.float(), identities, batch)
        if self.teachers:
            with autocast(self.device):
                taught = self.teachers.similarities(gray, rng)
            loss = loss + self.settings.teacher_weight * relation_loss(output, taught)
        return loss

    def _similarity(self, pixels: Films) -> Similarity:
        """Of any rows of the validation images with all of them."""
        self.average.eval()
        # filled up with repeats: on a GPU every other shape of batch means another search for the fastest kernels
        filled = np.resize(np.arange(len(pixels)), -(-len(pixels) // BATCH) * BATCH)
        with torch.inference_mode(), autocast(self.device):
            films = (torch.from_numpy(pixels[rows]).to(self.device) for rows in filled.reshape(-1, BATCH))
            vectors = torch.cat([self.average(as_input(part, self.settings.size)) for part in films])
        vectors = vectors[: len(pixels)].float()
        if not isinstance(self.average, VerificationNetwork):
            vectors = functional.normalize(vectors, dim=1)

        def similarity(rows: NDArray[np.intp]) -> NDArray[np.float32]:
            with torch.inference_mode():
                if isinstance(self.average, VerificationNetwork):
                    compared = [self.average.compare(vectors, vectors[row]) for row in rows.tolist()]
                    return torch.stack(compared).cpu().numpy()
                return (vectors[torch.from_numpy(rows).to(self.device)] @ vectors.T).cpu().numpy()

        return similarity

    def _set_mode(self, frozen: bool) -> None:
        self.network.train()
        if frozen:
            self._backbone().eval()

    def _backbone(self) -> nn.Module:
        branch = self.network.branch if isinstance(self.network, VerificationNetwork) else self.network
        return branch.backbone

    def _follow(self) -> None:
        steps = self.epoch * len(self.objective)
        follow(
            self.average, self.network, min(self.settings.average, 1 - 1 / (2 + steps)) if self.settings.average else 0
        )

    def _objective(self) -> Objective:
        if self.kind == "reidentification":
            identities = self.patients * (2 if self.settings.mirror else 1)
            return OnlineMining(self.settings, self.codes, identities)
        if self.settings.mining == "online":
            return AllPairs(self.settings, self.codes)
        return OfflinePairs(self.settings, self.codes)

    def _optimizer(self) -> torch.optim.Optimizer:
        backbone = list(self._backbone().parameters())
        inside = {id(parameter) for parameter in backbone}
        head = [parameter for parameter in self.network.parameters() if id(parameter) not in inside]
        groups = [
            {"params": backbone, "share": self.settings.backbone_share},
            {"params": head, "share": 1.0},
            {"params": list(self.objective.modules.parameters()), "share": 10.0, "weight_decay": 0.0},
        ]
        groups = [group for group in groups if group["params"]]
        decay = self.settings.weight_decay
        if self.settings.optimizer == "sgd":
            return torch.optim.SGD(groups, lr=1.0, momentum=self.settings.momentum, weight_decay=decay)
        if self.settings.optimizer == "adam":
            return torch.optim.Adam(groups, lr=1.0, weight_decay=decay, fused=self.device != "cpu")
        return torch.optim.AdamW(groups, lr=1.0, weight_decay=decay, fused=self.device != "cpu")

    def _search_rate(self) -> float:
        """On copies: the run itself starts from the weights it was given."""
        trial = copy.deepcopy(self)
        rng = np.random.default_rng([self.settings.seed, 0x1F])
        generator = torch.Generator(self.device).manual_seed(int(rng.integers(2**62)))

        def batches() -> Any:
            while True:
                yield from trial.objective.epoch(rng)

        source = trial._with_films(batches())
        frozen, momentum = self.settings.frozen_epochs > 0, self.settings.momentum
        return find_peak(lambda rate: float(trial._step(*next(source), rate, momentum, rng, generator, frozen)))

    def state(self) -> dict[str, Any]:
        return {
            "epoch": self.epoch,
            "rate": self.rate,
            "memory": self.objective.state(),
            **{name: part.state_dict() for name, part in self._parts().items()},
        }

    def restore(self, state: dict[str, Any]) -> None:
        self.epoch, self.rate = state["epoch"], state["rate"]
        self.objective.restore(state["memory"])
        for name, part in self._parts().items():
            part.load_state_dict(state[name])

    def _parts(self) -> dict[str, Any]:
        return {
            "network": self.network,
            "average": self.average,
            "losses": self.objective.modules,
            "optimizer": self.optimizer,
        }


def build_network(kind: Kind, settings: TrainingSettings) -> Network:
    """The network to train: from ImageNet, from another identity model, or from chance."""
    make = RetrievalNetwork if kind == "reidentification" else VerificationNetwork
    network = make(settings.backbone, settings.head, settings.dim, settings.start)
    if settings.continue_from is not None:
        earlier = read_architecture(settings.continue_from)
        if (earlier.backbone, earlier.head, earlier.dim) != (settings.backbone, settings.head, settings.dim):
            raise InputError(f"{settings.continue_from} is another kind of network; name its backbone, head and dim")
        target: nn.Module = network
        if isinstance(network, VerificationNetwork) and earlier.kind == "reidentification":
            target = network.branch
        load_into(target, settings.continue_from)
    return network


def score(similarity: Similarity, patients: NDArray[np.int64]) -> Scores:
    """Every image against all others; NaN where nobody has two images or there is one patient only.

    The area is over all pairs or, where they are too many, over as many of one patient as of two, always the same ones.
    """
    count = len(patients)
    hits = np.empty(count, dtype=bool)
    listed = _pairs(patients) if count > MOST_SQUARE else None
    scores: list[NDArray[np.float64]] = []
    same: list[NDArray[np.bool_]] = []
    for rows in np.array_split(np.arange(count), -(-count // BLOCK)):
        block = similarity(rows)
        others = np.where(rows[:, None] == np.arange(count), -np.inf, block)
        hits[rows] = patients[others.argmax(1)] == patients[rows]
        first, second = (
            np.nonzero(np.arange(count) > rows[:, None])
            if listed is None
            else _of_block(listed, int(rows[0]), int(rows[-1]))
        )
        scores.append(block[first, second].astype(np.float64))
        same.append(patients[rows[first]] == patients[second])
    auc = WeightedAUC(np.concatenate(scores), np.concatenate(same))()
    has_other = np.bincount(patients)[patients] > 1
    return Scores(float(hits[has_other].mean()) if has_other.any() else float("nan"), auc)


def _pairs(patients: NDArray[np.int64]) -> NDArray[np.int64]:
    rng = np.random.default_rng(0)
    own = positive_pairs(patients)
    own = own[rng.permutation(len(own))[: MOST_PAIRS // 2]]
    pairs = np.concatenate([own, negative_pairs(patients, len(own), rng)])
    return pairs[np.argsort(pairs[:, 0], kind="stable")]


def _of_block(pairs: NDArray[np.int64], low: int, high: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    here = pairs[np.searchsorted(pairs[:, 0], low) : np.searchsorted(pairs[:, 0], high, side="right")]
    return here[:, 0] - low, here[:, 1]
