"""What a training step asks of the network: online mining of vectors, or a decision on pairs; and its teachers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.identity.networks.backbones import fold_normalisation
from medveil.encoders.identity.networks.retrieval_network import load_retrieval
from medveil.encoders.identity.training.batches import PairBatches, PatientBatches
from medveil.encoders.identity.training.losses import CrossBatchMemory, build_loss
from medveil.encoders.identity.training.settings import TrainingSettings
from medveil.encoders.identity.verifier import VerificationNetwork
from medveil.training.device import placed

Codes = NDArray[np.int64]


class Batch(NamedTuple):
    """Row numbers to load, the patient of each, and what else the objective needs to know."""

    rows: Codes
    targets: NDArray[np.float32] | None = None


class Objective(Protocol):
    """Chooses batches and scores the network's output on them."""

    modules: nn.ModuleList

    def __len__(self) -> int: ...

    def epoch(self, rng: np.random.Generator) -> Iterator[Batch]: ...

    def loss(self, network: nn.Module, output: Tensor, labels: Tensor, batch: Batch) -> Tensor: ...

    def state(self) -> tuple[Tensor, Tensor] | None: ...

    def restore(self, state: tuple[Tensor, Tensor] | None) -> None: ...


class OnlineMining:
    """All pairs of a batch, with any of the losses, and a memory of the batches before."""

    def __init__(self, settings: TrainingSettings, codes: Codes, identities: int) -> None:
        self.batches = _patient_batches(settings, codes)
        self.modules = nn.ModuleList(build_loss(name, identities, settings.dim) for name in settings.losses)
        self.weights = list(settings.losses.values())
        self.memory = CrossBatchMemory(settings.memory) if settings.memory else None

    def __len__(self) -> int:
        return len(self.batches)

    def epoch(self, rng: np.random.Generator) -> Iterator[Batch]:
        return (Batch(rows) for rows in self.batches.epoch(rng))

    def loss(self, network: nn.Module, output: Tensor, labels: Tensor, batch: Batch) -> Tensor:
        held = self.memory.held if self.memory else None
        parts = [loss(output, labels, held) for loss in self.modules]
        total = torch.stack([weight * part for weight, part in zip(self.weights, parts, strict=True)]).sum()
        if self.memory:
            self.memory.push(output, labels)
        return total

    def state(self) -> tuple[Tensor, Tensor] | None:
        return self.memory.held if self.memory else None

    def restore(self, state: tuple[Tensor, Tensor] | None) -> None:
        if self.memory:
            self.memory.held = state


class _Decisions:
    """What the two ways of training a verification network share: nothing but the network learns."""

    modules = nn.ModuleList()

    def state(self) -> None:
        return None

    def restore(self, state: tuple[Tensor, Tensor] | None) -> None:
        return None


class AllPairs(_Decisions):
    """Binary cross-entropy over every pair of a batch, both kinds weighing the same."""

    def __init__(self, settings: TrainingSettings, codes: Codes) -> None:
        self.batches = _patient_batches(settings, codes)

    def __len__(self) -> int:
        return len(self.batches)

    def epoch(self, rng: np.random.Generator) -> Iterator[Batch]:
        return (Batch(rows) for rows in self.batches.epoch(rng))

    def loss(self, network: nn.Module, output: Tensor, labels: Tensor, batch: Batch) -> Tensor:
        assert isinstance(network, VerificationNetwork)
        first, second = torch.triu_indices(len(output), len(output), 1, device=output.device)
        same = labels[first] == labels[second]
        logits = network.compare(output[first], output[second])
        each = functional.binary_cross_entropy_with_logits(logits, same.float(), reduction="none")
        return ((each * same).sum() / same.sum().clamp(min=1) + (each * ~same).sum() / (~same).sum().clamp(min=1)) / 2


class OfflinePairs(_Decisions):
    """Binary cross-entropy on pairs listed beforehand."""

    def __init__(self, settings: TrainingSettings, codes: Codes) -> None:
        self.batches = PairBatches(
            codes,
            batch=settings.patients * settings.images,
            redrawn=settings.mining == "redrawn",
            seed=settings.seed,
            most=settings.pairs,
        )

    def __len__(self) -> int:
        return len(self.batches)

    @property
    def pairs(self) -> int:
        """In the training set, half of them of one patient."""
        return 2 * len(self.batches.positives)

    def epoch(self, rng: np.random.Generator) -> Iterator[Batch]:
        return (Batch(pairs.T.reshape(-1), same) for pairs, same in self.batches.epoch(rng))

    def loss(self, network: nn.Module, output: Tensor, labels: Tensor, batch: Batch) -> Tensor:
        assert isinstance(network, VerificationNetwork)
        assert batch.targets is not None
        first, second = output.chunk(2)
        target = torch.from_numpy(batch.targets).to(output.device)
        return functional.binary_cross_entropy_with_logits(network.compare(first, second), target)


def _patient_batches(settings: TrainingSettings, codes: Codes) -> PatientBatches:
    return PatientBatches(
        codes,
        patients=settings.patients,
        images=settings.images,
        singles=settings.singles,
        repeats=settings.augmentation is not None,
    )


class Teachers:
    """Several retrieval networks that agree by turns."""

    def __init__(self, paths: Sequence[Path], device: str) -> None:
        self._networks = [_load(path, device) for path in paths]

    def __len__(self) -> int:
        return len(self._networks)

    @torch.no_grad()
    def similarities(self, gray: Tensor, rng: np.random.Generator) -> Tensor:
        """Of the images of a batch with each other, by one teacher that sees them or their mirror images.

        Over the steps the student learns what all teachers say of both on average, at the price of one.
        """
        network, size = self._networks[rng.integers(len(self._networks))]
        if size != gray.shape[-1]:
            gray = functional.interpolate(gray, size=(size, size), mode="bilinear", align_corners=False)
        unit = functional.normalize(network(gray.flip(3) if rng.random() < 0.5 else gray).float(), dim=1)
        with torch.autocast(unit.device.type, enabled=False):  # half precision would blur what the student learns
            return unit @ unit.T


def _load(path: Path, device: str) -> tuple[nn.Module, int]:
    network, size = load_retrieval(path)
    return placed(fold_normalisation(network.eval().requires_grad_(False)), device), size
