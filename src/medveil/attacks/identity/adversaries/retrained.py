"""A recogniser that goes on learning, on defended films of other patients and on what their originals look like.

Films of one patient shall be alike after the defense (defended against defended), and alike to what a recogniser
makes of the patient's originals (defended against original). The network sees defended films alone, so that it can give
itself up to them; the originals' vectors are known beforehand, and a linear map learns what of them a defended film
can still tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.attacks.identity.adversaries.effort import Effort
from medveil.attacks.identity.adversaries.learning import learn
from medveil.attacks.identity.adversaries.recognisers import looked_at
from medveil.encoders.identity.inference import as_input
from medveil.encoders.identity.networks.retrieval_network import RetrievalNetwork
from medveil.encoders.identity.training.augment import Augmentation, augment
from medveil.encoders.identity.training.batches import PatientBatches
from medveil.encoders.identity.training.losses import SupervisedContrastive
from medveil.training.average import averaged, follow, warming
from medveil.training.device import autocast, placed
from medveil.training.loop import Progress, Round, fingerprint_of
from medveil.training.schedule import one_cycle

RATE = 6e-4
DECAY = 0.02
TEMPERATURE = 0.1
AVERAGE = 0.98  # how slowly the weights that are kept follow
STATISTICS = 1024  # films at most that normalisation is set by at the end
# of what differs between two visits, little: there are few steps, and the defense may have left little
CHANGES = Augmentation(
    person=0.0, rotation=6.0, scale=0.12, shift=0.05, framed=0.0, bend=0.015, gamma=0.3, contrast=0.2, shading=0.15,
    noise=0.02, blurred=0.0, covered=0.2, collimated=0.1,
)  # fmt: skip


class Retraining:
    """The network in training, for `training.loop`; `bank` are the originals' vectors, row by row, or None."""

    def __init__(
        self,
        start: RetrievalNetwork,
        films: Tensor,
        patients: NDArray[np.int64],
        bank: Tensor | None,
        effort: Effort,
        *,
        device: str,
        seed: int,
    ) -> None:
        self.films, self.bank, self.effort, self.device, self.seed = films, bank, effort, device, seed
        self.patients = np.unique(patients, return_inverse=True)[1].astype(np.int64)
        self.network = placed(start, device)
        self.average = averaged(self.network)
        self.map = _passing(0 if bank is None else bank.shape[1], start.dim).to(device)
        parameters = [*self.network.parameters(), *self.map.parameters()]
        self.optimizer = torch.optim.AdamW(parameters, lr=RATE, weight_decay=DECAY, fused=device != "cpu")
        self.batches = PatientBatches(self.patients, patients=effort.patients, images=effort.images, singles=True)
        self.loss = SupervisedContrastive(TEMPERATURE)
        self.codes = torch.from_numpy(self.patients).to(device)
        self.step = 0

    @cached_property
    def fingerprint(self) -> str:
        told = ["retrained", asdict(self.effort), self.seed, self.bank is None]
        return fingerprint_of(told, (self.films.cpu().numpy(), self.patients))

    @property
    def finished(self) -> bool:
        return self.step >= self.effort.steps

    def train_round(self) -> Round:
        self.network.train()
        rng = np.random.default_rng([self.seed, self.step])  # a run that goes on after a kill draws the same
        generator = torch.Generator(self.device).manual_seed(int(rng.integers(2**62)))
        steps = min(self.effort.every, self.effort.steps - self.step)
        losses = [self._step(rows, generator) for rows in islice(self._rows(rng), steps)]
        return Round({"step": self.step, "loss": round(float(torch.stack(losses).mean()), 4)})

    def _rows(self, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
        while True:
            yield from self.batches.epoch(rng)

    def _step(self, rows: NDArray[np.int64], generator: torch.Generator) -> Tensor:
        for group in self.optimizer.param_groups:
            group["lr"] = one_cycle(self.step, self.effort.steps, RATE, rise=0.15)
        chosen = torch.from_numpy(rows).to(self.device)
        who = self.codes[chosen]
        never = torch.zeros(len(rows), dtype=torch.bool, device=self.device)
        gray = augment(self.films[chosen], self.effort.size, who, never, generator, CHANGES)
        with autocast(self.device):
            vectors = self.network(gray)
        loss = self.loss(vectors, who)
        if self.bank is not None:
            loss = loss + self._against_originals(vectors, who)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 5.0)
        self.optimizer.step()
        self.step += 1
        follow(self.average, self.network, warming(self.step, AVERAGE))
        return loss.detach()

    def _against_originals(self, vectors: Tensor, who: Tensor) -> Tensor:
        """Softmax over the originals of everybody; the patient's own should have it all."""
        assert self.bank is not None
        gallery = functional.normalize(self.map(self.bank), dim=1)
        logits = functional.normalize(vectors.float(), dim=1) @ gallery.T / TEMPERATURE
        own = who[:, None] == self.codes[None]
        share = torch.where(own, functional.log_softmax(logits, 1), 0.0).sum(1) / own.sum(1)
        return -share.mean()

    def keep(self) -> None:
        """The state has it all."""

    def state(self) -> dict[str, Any]:
        return {"step": self.step, **{name: part.state_dict() for name, part in self._parts().items()}}

    def restore(self, state: dict[str, Any]) -> None:
        self.step = state["step"]
        for name, part in self._parts().items():
            part.load_state_dict(state[name])

    def _parts(self) -> dict[str, Any]:
        return {"network": self.network, "average": self.average, "map": self.map, "optimizer": self.optimizer}


class Retrained:
    """What came of it: how it sees films, and what it makes of vectors of originals."""

    def __init__(self, trained: Retraining) -> None:
        self.network = _renormalised(trained.average, trained.films, trained.effort.size, trained.device)
        self._map, self._size, self._device = trained.map, trained.effort.size, trained.device

    def vectors(self, films: Tensor) -> Tensor:
        return functional.normalize(looked_at(self.network, films, self._size, self._device), dim=1)

    @torch.inference_mode()
    def originals(self, bank: Tensor) -> Tensor:
        return functional.normalize(self._map(bank), dim=1)


def retrain(trainee: Retraining, keep: Path | None, progress: Progress) -> Retrained:
    learn(trainee, keep, progress)
    return Retrained(trainee)


def _passing(width: int, dim: int) -> nn.Linear:
    """A linear map that at first passes on the first dimensions as they are."""
    made = nn.Linear(max(width, dim), dim, bias=False)
    with torch.no_grad():
        made.weight.copy_(torch.eye(dim, max(width, dim)))
    return made


def _renormalised(network: RetrievalNetwork, films: Tensor, size: int, device: str) -> RetrievalNetwork:
    """Normalisation set by films as they are, not by the changed ones that the steps saw."""
    norms = [module for module in network.modules() if isinstance(module, nn.BatchNorm2d)]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # the plain mean over all batches
    network.train()
    some = films[torch.linspace(0, len(films) - 1, min(len(films), STATISTICS)).round().long().to(films.device)]
    with torch.no_grad(), autocast(device):
        for part in torch.split(some, 64):
            network(as_input(part, size))
    return network.eval()
