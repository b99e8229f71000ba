"""`train_unet`: the networks of ID-Adv, Privacy-Net and the learned deformation, against a recogniser.

The recogniser is a bundled identity network, and what is to stay is what the bundled findings network sees.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.defenses.anatomy.baselines.deformation import NAME as DEFORMATION
from medveil.defenses.anatomy.baselines.deformation import SmoothDeformation, bent, learned_field
from medveil.defenses.anatomy.baselines.film_unet import FilmUNet, FilmUNetPlan, save_unet
from medveil.defenses.anatomy.baselines.id_adversarial import IdAdversarial, repainted
from medveil.defenses.anatomy.baselines.privacy_net import NAME as PRIVACY_NET
from medveil.defenses.anatomy.baselines.privacy_net import PrivacyNet
from medveil.defenses.anatomy.training_films import TrainingFilms
from medveil.encoders.findings.network import load_findings
from medveil.encoders.identity.networks.retrieval_network import load_retrieval
from medveil.training.device import autocast, placed
from medveil.training.loop import run
from medveil.training.timed import TimedTraining
from medveil.weights.bundled import RETRIEVERS, bundled

PATIENTS = 8  # a batch, with two films each
RATE, OPPONENT = 3e-4, 1e-4
COPYING = 300  # steps in which a painter learns to paint at all, before it learns what to change
SHARP = 0.1  # temperature of the recogniser that learns along
TRAINED = (IdAdversarial.name, PRIVACY_NET, DEFORMATION)
_LEVELS = {
    IdAdversarial.name: IdAdversarial.levels,
    PRIVACY_NET: PrivacyNet.levels,
    DEFORMATION: SmoothDeformation.levels,
}


class Lessons:
    """Batches of films and the loss of a network that changes them. Opponents take their own step in between."""

    def __init__(self, method: str, films: TrainingFilms, device: str) -> None:
        self.method, self.films, self.device = method, films, device
        self.plan = FilmUNetPlan(method, planes=2 if method == DEFORMATION else 1)
        self.network = placed(FilmUNet(self.plan), device)
        self.identity = _still(load_retrieval(bundled(RETRIEVERS[0]))[0], device)
        self.findings = _still(load_findings(bundled("findings"))[0], device)
        self.critic: nn.Module = placed(_critic(), device)
        learning = [*self.critic.parameters()]
        if method == PRIVACY_NET:
            learning += [*self.identity.requires_grad_(True).parameters()]
        self.opponents = torch.optim.AdamW(learning, lr=OPPONENT, betas=(0.5, 0.99))
        self.steps = 0

    def loss(self) -> Tensor:
        films = self.films.gray(self.films.pairs(PATIENTS).flatten())
        levels = self._levels(len(films))
        changed = self.changed(self.network, films, levels)
        self.steps += 1
        if self.method != DEFORMATION:
            if self.steps <= COPYING:  # begun with, the discriminator would win and teach it nothing
                return functional.l1_loss(changed, films)
            self._teach_opponents(films, changed.detach())
        with autocast(self.device):
            with torch.no_grad():
                who = self.identity(films)
            alike = _cosine(who, self.identity(changed))
            if self.method == DEFORMATION:
                return alike.mean() + self._calls_lost(films, changed)
            plausible = (self.critic(changed) - 1).square().mean()
            return (levels * alike).mean() + self._features_lost(films, changed) + plausible

    def changed(self, network: nn.Module, films: Tensor, levels: Tensor) -> Tensor:
        with autocast(self.device):
            assert isinstance(network, FilmUNet)
            if self.method == DEFORMATION:
                return bent(films, learned_field(network, films, levels))
            return repainted(network, films, levels)

    def told(self, network: nn.Module) -> dict[str, Any]:
        """How alike a few films are to their own changed selves, at the weakest and at the strongest level."""
        films = self.films.films[: 2 * PATIENTS].unsqueeze(1).float() / 255
        ends = _LEVELS[self.method][0], _LEVELS[self.method][-1]
        alike = {}
        with torch.no_grad():
            for level in ends:
                changed = self.changed(network, films, torch.full((len(films),), level, device=films.device))
                cosine = _cosine(self.identity(films), self.identity(changed)).mean()
                alike[f"cosine at {level:g}"] = round(float(cosine), 3)
        return alike

    def _levels(self, count: int) -> Tensor:
        """Between the ends of the dial; of weights, evenly by their logarithm."""
        low, high = _LEVELS[self.method][0], _LEVELS[self.method][-1]
        if self.method == DEFORMATION:
            return self.films.drawn(count, low, high)
        return self.films.drawn(count, math.log(low), math.log(high)).exp()

    def _teach_opponents(self, films: Tensor, changed: Tensor) -> None:
        with autocast(self.device):
            loss = ((self.critic(films) - 1).square().mean() + self.critic(changed).square().mean()) / 2
            if self.method == PRIVACY_NET:  # whose is a changed film, among the originals of everybody in the batch?
                queries = functional.normalize(self.identity(changed[0::2]).float(), dim=1)
                keys = functional.normalize(self.identity(films[1::2]).float(), dim=1)
                own = torch.arange(len(queries), device=queries.device)
                loss = loss + functional.cross_entropy(queries @ keys.T / SHARP, own)
        self.opponents.zero_grad(set_to_none=True)
        loss.backward()
        self.opponents.step()

    def _features_lost(self, films: Tensor, changed: Tensor) -> Tensor:
        """‖med_X − med_Y‖ as a share of ‖med_X‖."""
        with torch.no_grad():
            before = self.findings.backbone(films).float()
        after = self.findings.backbone(changed).float()
        return ((after - before).flatten(1).norm(dim=1) / before.flatten(1).norm(dim=1)).mean()

    def _calls_lost(self, films: Tensor, changed: Tensor) -> Tensor:
        """How surprising the findings of a changed film are to who knows those of the film."""
        with torch.no_grad():
            before = torch.sigmoid(self.findings(films).float())
        return functional.binary_cross_entropy_with_logits(self.findings(changed).float(), before)


class AgainstOpponents(TimedTraining):
    """Training that takes up the opponents too where it was stopped."""

    lessons: Lessons

    def state(self) -> dict[str, Any]:
        ours = self.lessons
        return super().state() | {
            "critic": ours.critic.state_dict(),
            "identity": ours.identity.state_dict(),
            "opponents": ours.opponents.state_dict(),
            "lessons": ours.steps,
        }

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.lessons.critic.load_state_dict(state["critic"])
        self.lessons.identity.load_state_dict(state["identity"])
        self.lessons.opponents.load_state_dict(state["opponents"])
        self.lessons.steps = state["lessons"]


def train_unet(
    method: str,
    films: TrainingFilms,
    out: Path,
    *,
    device: str,
    seconds: float,
    state: Path | None = None,
    progress: Callable[[dict[str, Any]], None] | None = None,
) -> dict[str, Any]:
    """OUT, the file of the network, after so many seconds; what the last round told. A run goes on from `state`."""
    lessons = Lessons(method, films, device)
    trainee = AgainstOpponents(
        network=lessons.network,
        optimizer=torch.optim.AdamW(lessons.network.parameters(), lr=RATE, weight_decay=1e-4),
        loss=lessons.loss,
        score=lessons.told,
        save=lambda kept: save_unet(out, kept, lessons.plan),
        device=device,
        seconds=seconds,
        rate=RATE,
        warm=100,
        clip=1.0,
        average=0.995,
        every=max(1.0, seconds / 12),
        fingerprint=f"{method} {len(films.films)}",
    )
    trainee.lessons = lessons
    return run(trainee, state, progress=progress).kept


def _critic() -> nn.Module:
    """Is each patch of a film real? Three strided convolutions and one number a patch."""
    layers: list[nn.Module] = []
    for channels, out in ((1, 32), (32, 64), (64, 128)):
        layers += [nn.Conv2d(channels, out, 4, 2, 1), nn.GroupNorm(out // 16, out), nn.LeakyReLU(0.2)]
    return nn.Sequential(*layers, nn.Conv2d(128, 1, 4, 1, 1))


def _still(network: Any, device: str) -> Any:
    return placed(copy.deepcopy(network).eval().requires_grad_(False), device)


def _cosine(first: Tensor, second: Tensor) -> Tensor:
    return functional.cosine_similarity(first.float(), second.float(), dim=1)
