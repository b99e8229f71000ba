"""`train_recogniser`: the ViT by classification and triplet loss, as in the paper, and by imitating a stronger network.

The paper's ViT begins with CLIP's weights; ours stands on half of an identity network, and learns from the bundled
ones as well.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.defenses.anatomy.dcm_deid.recogniser import Recogniser, RecogniserPlan, identity_of, save_recogniser
from medveil.defenses.anatomy.training_films import TrainingFilms
from medveil.encoders.identity.networks.retrieval_network import load_retrieval
from medveil.encoders.identity.training.augment import Augmentation
from medveil.training.device import autocast, placed
from medveil.training.loop import run
from medveil.training.timed import TimedTraining
from medveil.weights.bundled import RETRIEVERS, bundled

PATIENTS = 64  # a batch, with two films each
RATE = 4e-4
ALONE, JOINED = 300, 700  # steps: imitation alone up to here, and the paper's losses in full from there on
MARGIN = 0.3
SHARP, COARSE = 0.07, 0.1  # temperatures of the classification and of the teacher's opinion
CHANGES = Augmentation(person=0.0, rotation=8.0, scale=0.15, shift=0.06)


class Student(nn.Module):
    """The recogniser, and what it needs only while it learns: a vector for every patient, and the teacher's space."""

    steps: Tensor

    def __init__(self, plan: RecogniserPlan, people: int, teacher: int) -> None:
        super().__init__()
        self.recogniser = Recogniser(plan)
        self.people = nn.Parameter(torch.randn(people, plan.width) * 0.02)
        self.imitates = nn.Linear(plan.width, teacher)
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))  # so that a resumed run knows where it is


class Lessons:
    def __init__(self, plan: RecogniserPlan, films: TrainingFilms, device: str) -> None:
        members = [load_retrieval(bundled(name))[0] for name in RETRIEVERS]
        self.films, self.device = films, device
        self.teacher: Any = placed(nn.ModuleList(members).eval().requires_grad_(False), device)
        self.student = placed(Student(plan, films.people, sum(member.dim for member in members)), device)

    def loss(self) -> Tensor:
        rows = self.films.pairs(PATIENTS)
        who = self.films.codes[rows.flatten()]
        gray = self.films.gray(rows.flatten(), CHANGES)
        with autocast(self.device):
            with torch.no_grad():
                taught, places = self._taught(gray)
            local = self.student.recogniser(gray)
        found = identity_of(local)
        imitated = functional.normalize(self.student.imitates(found), dim=1)
        near = functional.adaptive_avg_pool2d(local, (places.shape[1], places.shape[2])).permute(0, 2, 3, 1)
        there = functional.cosine_similarity(self.student.imitates(near), places, dim=-1)
        loss = 2 - (imitated * taught).sum(1).mean() - there.mean() + relations(imitated, taught)
        self.student.steps += 1
        joined = min(1.0, max(0.0, (int(self.student.steps) - ALONE) / (JOINED - ALONE)))
        if joined:  # begun with, the hardest triplets would draw all films together
            unit = functional.normalize(found, dim=1)
            classes = functional.cross_entropy(unit @ functional.normalize(self.student.people, dim=1).T / SHARP, who)
            loss = loss + joined * (classes / 4 + hardest_triplets(unit, who))
        return loss

    def _taught(self, gray: Tensor) -> tuple[Tensor, Tensor]:
        """What the identity networks make of films (n × dim), and of each of their places (n × h × w × dim)."""
        whole, places = [], []
        for member in self.teacher:
            maps = member.backbone(gray).float()
            whole.append(functional.normalize(member.head(maps), dim=1))
            places.append(functional.normalize(member.head.fc(maps.permute(0, 2, 3, 1)), dim=-1))
        return torch.cat(whole, 1) / len(whole) ** 0.5, torch.cat(places, -1)

    def told(self, kept: nn.Module) -> dict[str, Any]:
        """How often a film's nearest other film is of the same patient, over the first of the films trained on."""
        assert isinstance(kept, Student)
        films, codes = self.films.films[:1000], self.films.codes[:1000]
        with torch.no_grad(), autocast(self.device):
            parts = (part.unsqueeze(1).float() / 255 for part in torch.split(films, 100))
            units = functional.normalize(torch.cat([identity_of(kept.recogniser(part)) for part in parts]), dim=1)
        alike = (units @ units.T).fill_diagonal_(-2)
        other = (codes.unsqueeze(1) == codes).sum(1) > 1
        right = codes[alike.argmax(1)] == codes
        return {"nearest is right": round(float(right[other].float().mean()), 3)} if bool(other.any()) else {}


def hardest_triplets(unit: Tensor, who: Tensor, margin: float = MARGIN) -> Tensor:
    """For every film the farthest of its own patient and the nearest of another, which should lie a margin farther."""
    far = torch.cdist(unit, unit)
    same = who.unsqueeze(1) == who
    own = far.masked_fill(~same, 0.0).amax(1)
    other = far.masked_fill(same, torch.inf).amin(1)
    return functional.relu(own - other + margin).mean()


def relations(found: Tensor, taught: Tensor) -> Tensor:
    """How the student ranks the others of a batch against how the teacher does."""
    itself = torch.eye(len(found), dtype=torch.bool, device=found.device)
    ours = (found @ found.T / COARSE).masked_fill(itself, -1e4)
    theirs = (taught @ taught.T / COARSE).masked_fill(itself, -1e4)
    return functional.kl_div(ours.log_softmax(1), theirs.log_softmax(1), reduction="batchmean", log_target=True)


def train_recogniser(
    films: TrainingFilms,
    out: Path,
    *,
    plan: RecogniserPlan,
    device: str,
    seconds: float,
    state: Path | None = None,
    progress: Callable[[dict[str, Any]], None] | None = None,
) -> dict[str, Any]:
    """OUT, the file of the recogniser, after so many seconds; what the last round told."""
    lessons = Lessons(plan, films, device)

    def save(kept: nn.Module) -> None:
        assert isinstance(kept, Student)
        save_recogniser(out, kept.recogniser)

    trainee = TimedTraining(
        network=lessons.student,
        optimizer=torch.optim.AdamW(lessons.student.parameters(), lr=RATE, weight_decay=0.05),
        loss=lessons.loss,
        score=lessons.told,
        save=save,
        device=device,
        seconds=seconds,
        rate=RATE,
        clip=1.0,
        every=max(1.0, seconds / 12),
        fingerprint=f"recogniser {plan} {len(films.films)}",
    )
    return run(trainee, state, progress=progress).kept
