"""The findings network, taught on the training films of NIH ChestX-ray14 from the bundled identity network on.

What is kept is the average of the weights that ranks the findings best on patients set aside among the training ones.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.findings.network import SIDE, Calling, FindingsNetwork, save_findings
from medveil.encoders.identity.networks.retrieval_network import load_retrieval
from medveil.encoders.identity.training.augment import Augmentation, augment
from medveil.stats.auc import WeightedAUC
from medveil.training.device import autocast, placed
from medveil.training.loop import Round, run
from medveil.training.timed import TimedTraining
from medveil.weights.bundled import bundled
from recipes.films import unpacked
from recipes.findings.labels import FINDINGS, to_choose_by
from recipes.lungs.augment import covered

BATCH = 64
START = "reidentification-1"
CHANGES = Augmentation(person=0.0, rotation=8.0, scale=0.15, shift=0.06, bend=0.015, gamma=0.4, covered=0.2)
RATE = 4e-4
LEAST_SHOWN = 5  # films set aside; fewer say nothing
UNCHOSEN = 0.5  # thresholds are chosen when the network is


class Lessons:
    """Batches of training films and the loss of the network on them."""

    def __init__(self, network: FindingsNetwork, films: Tensor, shows: Tensor, device: str, seed: int) -> None:
        self.network, self.films, self.shows, self.device = network, films, shows, device
        self.generator = torch.Generator(device).manual_seed(seed)

    def loss(self) -> Tensor:
        self.network.train()
        rows = torch.randint(len(self.films), (BATCH,), generator=self.generator, device=self.films.device)
        mirror = torch.rand(BATCH, generator=self.generator, device=self.films.device) < 0.5
        gray = augment(self.films[rows], SIDE, rows, mirror, self.generator, CHANGES)
        gray = covered(gray, self.generator)
        with autocast(self.device):
            odds = self.network(gray)
        return functional.binary_cross_entropy_with_logits(odds.float(), self.shows[rows])


def train(
    films: Path, labels: Path, out: Path, *, device: str, seconds: float, rate: float = RATE, seed: int = 0
) -> None:
    """OUT/findings.safetensors, with thresholds still to be chosen."""
    torch.manual_seed(seed)
    packed, told = np.load(films), np.load(labels)
    real = torch.from_numpy(unpacked(packed["real"], packed["real ends"]))
    shows, aside = torch.from_numpy(told["shows"]), torch.from_numpy(to_choose_by(told["patients"]))
    network = FindingsNetwork(len(FINDINGS))
    start, _ = load_retrieval(bundled(START))
    network.backbone.load_state_dict(start.backbone.state_dict())
    with torch.no_grad():  # begin with how common each finding is
        common = shows[~aside].float().mean(0).clamp(1e-3, 1 - 1e-3)
        network.last.bias.copy_(torch.logit(common))
    placed(network, device)
    lessons = Lessons(network, real[~aside].to(device), shows[~aside].float().to(device), device, seed)
    chosen_by = (real[aside].to(device), shows[aside].numpy())
    print(len(lessons.films), "films to learn from,", len(chosen_by[0]), "to choose by", flush=True)
    trainee = Judged(
        network=network,
        optimizer=torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.02),
        loss=lessons.loss,
        score=lambda kept: _told(kept, *chosen_by, device),
        save=lambda kept: _save(kept, out),
        device=device,
        seconds=seconds,
        rate=rate,
        warm=200,
        every=max(2.0, seconds / 24),
    )
    out.mkdir(parents=True, exist_ok=True)
    course = run(trainee, patience=1000, progress=lambda told: print(told, flush=True))
    print("kept", course.kept, flush=True)


class Judged(TimedTraining):
    """Of several rounds, the one whose average weights rank the findings best is kept."""

    def train_round(self) -> Round:
        done = super().train_round()
        return Round(done.told, done.told["AUROC"])


def _save(kept: nn.Module, out: Path) -> None:
    assert isinstance(kept, FindingsNetwork)
    save_findings(out / "findings.safetensors", kept, Calling(FINDINGS, (UNCHOSEN,) * len(FINDINGS)))


@torch.no_grad()
def _told(kept: nn.Module, films: Tensor, shows: NDArray[np.bool_], device: str) -> dict[str, Any]:
    """Mean AUROC over the findings that enough of the films set aside show."""
    kept.eval()
    odds = []
    for some in films.split(BATCH):
        with autocast(device):
            odds.append(kept((some.unsqueeze(1).float() / 255).contiguous(memory_format=torch.channels_last)).float())
    scores = torch.cat(odds).cpu().numpy().astype(np.float64)
    enough = [k for k in range(len(FINDINGS)) if shows[:, k].sum() >= LEAST_SHOWN]
    return {"AUROC": round(float(np.mean([WeightedAUC(scores[:, k], shows[:, k])() for k in enough])), 4)}
