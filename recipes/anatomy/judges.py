"""Networks that look for findings on real and drawn films alike: one helps to train the generator, one judges it.

    python -m recipes.anatomy.judges --packed PACKED --out RUN/helper.safetensors --start reidentification-1 --seed 1
    python -m recipes.anatomy.judges --packed PACKED --out RUN/judge.safetensors --start reidentification-2 --seed 2

They are not shipped. What is kept is the average of the weights that ranks the findings best on patients set aside.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from medveil.encoders.identity.networks.backbones import build_backbone
from medveil.encoders.identity.networks.model_file import read_architecture
from medveil.encoders.identity.networks.retrieval_network import load_retrieval
from medveil.encoders.identity.training.augment import Augmentation, augment
from medveil.stats.auc import WeightedAUC
from medveil.training.checkpoint import read_header, read_tensors, write_model
from medveil.training.device import autocast, placed
from medveil.training.loop import Round, run
from medveil.training.timed import TimedTraining
from medveil.weights.bundled import bundled
from recipes.anatomy.material import Material, read_material

FORMAT = "medveil.recipes.judge/1"
BATCH, SIDE, RATE = 64, 256, 4e-4
LEAST_SHOWN = 5  # films set aside; fewer say nothing
CHANGES = Augmentation(person=0.0, rotation=8.0, scale=0.15, shift=0.06, bend=0.015, gamma=0.4, covered=0.2)


class Judge(nn.Module):
    """Gray films of 0..1 (n × 1 × 256 × 256) to log odds (n × findings)."""

    def __init__(self, backbone: str, findings: int) -> None:
        super().__init__()
        self.backbone = build_backbone(backbone)
        self.drop = nn.Dropout(0.3)
        self.last = nn.Linear(self.backbone.channels, findings)

    def pooled(self, gray: Tensor) -> Tensor:
        return functional.adaptive_avg_pool2d(self.backbone(gray).float(), 1).flatten(1)

    def forward(self, gray: Tensor) -> Tensor:
        odds: Tensor = self.last(self.drop(self.pooled(gray)))
        return odds


def begun(start: str, findings: int) -> Judge:
    """From a bundled identity network on."""
    judge = Judge(read_architecture(bundled(start)).backbone, findings)
    judge.backbone.load_state_dict(load_retrieval(bundled(start))[0].backbone.state_dict())
    return judge


def load_judge(path: Path) -> Judge:
    told = read_header(path, form=FORMAT)
    judge = Judge(told["backbone"], told["findings"])
    judge.load_state_dict({name: value.float() for name, value in read_tensors(path).items()}, strict=False)
    return judge.eval().requires_grad_(False)


def masked_loss(odds: Tensor, labels: Tensor) -> Tensor:
    """Missing labels (NaN) do not count."""
    known = ~labels.isnan()
    each = functional.binary_cross_entropy_with_logits(odds, labels.nan_to_num(), reduction="none")
    return (each * known).sum() / known.sum().clamp(min=1)


class Lessons:
    """Batches of changed films and the network's loss on them."""

    def __init__(self, judge: Judge, films: Tensor, labels: Tensor, device: str, seed: int) -> None:
        self.judge, self.films, self.labels, self.device = judge, films, labels, device
        self.generator = torch.Generator(device).manual_seed(seed)

    def loss(self) -> Tensor:
        self.judge.train()
        rows = torch.randint(len(self.films), (BATCH,), generator=self.generator, device=self.films.device)
        mirror = torch.rand(BATCH, generator=self.generator, device=self.films.device) < 0.5
        gray = augment(self.films[rows], SIDE, rows, mirror, self.generator, CHANGES)
        with autocast(self.device):
            odds = self.judge(gray)
        return masked_loss(odds.float(), self.labels[rows].float())


class Judged(TimedTraining):
    def train_round(self) -> Round:
        done = super().train_round()
        return Round(done.told, done.told["real"] + done.told["drawn"])


def taught(
    judge: Judge, learned: Material, aside: Material, out: Path | None, *, device: str, seconds: float, seed: int
) -> dict[str, Any]:
    """The judge with the weights that were best on films set aside, and what it scored there."""
    best: dict[str, Tensor] = {}

    def keep(kept: nn.Module) -> None:
        best.update({name: value.clone() for name, value in kept.state_dict().items()})
        if out is not None:
            tensors = {name: value for name, value in best.items() if not name.endswith("num_batches_tracked")}
            backbone = read_backbone(judge)
            write_model(out, tensors, form=FORMAT, architecture={"backbone": backbone, "findings": labels.shape[1]})

    labels = torch.from_numpy(learned.labels).to(device)
    lessons = Lessons(placed(judge, device), torch.from_numpy(learned.films).to(device), labels, device, seed)
    trainee = Judged(
        network=judge,
        optimizer=torch.optim.AdamW(judge.parameters(), lr=RATE, weight_decay=0.02),
        loss=lessons.loss,
        score=lambda kept: scores(kept, aside, device),
        save=keep,
        device=device,
        seconds=seconds,
        rate=RATE,
        warm=200,
        every=max(2.0, seconds / 12),
    )
    course = run(trainee, patience=1000, progress=lambda told: print(told, flush=True))
    judge.load_state_dict(best)
    return course.kept


def read_backbone(judge: Judge) -> str:
    kinds = {"EfficientNetLite0": "efficientnet-lite0", "EfficientNetLite1": "efficientnet-lite1"}
    return kinds[type(judge.backbone).__name__]


@torch.no_grad()
def scores(judge: nn.Module, films: Material, device: str) -> dict[str, Any]:
    """Mean AUROC over the findings that enough films show, real and drawn ones apart."""
    judge.eval()
    told = {}
    for name, drawn in (("real", False), ("drawn", True)):
        some = films.of(films.drawn == drawn)
        told[name] = round(mean_auroc(odds_of(judge, torch.from_numpy(some.films), device), some.labels), 4)
    return told


@torch.no_grad()
def odds_of(judge: nn.Module, films: Tensor, device: str) -> NDArray[np.float64]:
    odds = []
    for some in films.split(BATCH):
        gray = (some.to(device).unsqueeze(1).float() / 255).contiguous(memory_format=torch.channels_last)
        with autocast(device):
            odds.append(judge(gray).float())
    return torch.cat(odds).cpu().numpy().astype(np.float64)


def mean_auroc(odds: NDArray[np.float64], labels: NDArray[np.float32]) -> float:
    found = []
    for k in range(labels.shape[1]):
        known = ~np.isnan(labels[:, k])
        shows = labels[known, k] == 1
        if LEAST_SHOWN <= shows.sum() <= len(shows) - LEAST_SHOWN:
            found.append(WeightedAUC(odds[known, k], shows)())
    return float(np.mean(found)) if found else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packed", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", default="reidentification-1")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int)
    chosen = parser.parse_args()
    torch.manual_seed(chosen.seed)
    material = read_material(chosen.packed, most=chosen.most)
    learned, aside = material.of(~material.aside), material.of(material.aside)
    judge = begun(chosen.start, material.labels.shape[1])
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    print(
        "kept",
        taught(judge, learned, aside, chosen.out, device=chosen.device, seconds=chosen.seconds, seed=chosen.seed),
    )


if __name__ == "__main__":
    main()
