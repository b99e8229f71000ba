"""`train_networks`: semantic codes and generator together, L = L_code-all + L_code-id + L_diffuse.

The recogniser, the foundation model and the autoencoder stay as they are. Each film of a batch draws how it is blocked
and what is told of its meaning, so that one network serves both signs of the blocking, the ablations that leave a part
out, and the masked baseline.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from medveil.defenses.anatomy.dcm_deid.blocking import blocked, visible
from medveil.defenses.anatomy.dcm_deid.codes import Codes, CodesPlan, IdentityPredictor
from medveil.defenses.anatomy.dcm_deid.foundation import Foundation
from medveil.defenses.anatomy.dcm_deid.model_file import Networks, save_networks
from medveil.defenses.anatomy.dcm_deid.recogniser import Recogniser, identity_of, likeness
from medveil.defenses.anatomy.dcm_deid.synthesis import TIMES, Synthesis, SynthesisPlan, published, schedule
from medveil.defenses.anatomy.latents import Autoencoder
from medveil.defenses.anatomy.training_films import TrainingFilms
from medveil.training.device import autocast, placed
from medveil.training.loop import run
from medveil.training.timed import TimedTraining

PATIENTS = 32  # a batch, with two films each
TEMPERATURE = 1.0  # of the drawn mask


@dataclass(frozen=True)
class TrainingSettings:
    """`beta` weighs bits a pixel against the error of the features: 0 is the ablation without codelength.

    Without `discrete`, the ablation without code space, codes are not rounded and cost nothing.
    """

    beta: float = 0.5
    discrete: bool = True
    published: bool = False
    rate: float = 4e-4
    most_like: float = 0.4  # shares of the films by how they are blocked; the rest is hidden altogether
    least_like: float = 0.2
    at_random: float = 0.25
    nothing_told: float = 0.25  # shares by what is told of the meaning; the rest gets the semantic codes
    all_told: float = 0.1


class Trained(nn.Module):
    """What learns: codes, generator, and the predictor that is not kept."""

    def __init__(self, codes: Codes, predictor: IdentityPredictor, synthesis: Synthesis) -> None:
        super().__init__()
        self.codes, self.predictor, self.synthesis = codes, predictor, synthesis


class Lessons:
    """Batches of films and the loss on them."""

    def __init__(
        self,
        films: TrainingFilms,
        recogniser: Recogniser,
        foundation: Foundation,
        autoencoder: Autoencoder,
        settings: TrainingSettings,
        device: str,
    ) -> None:
        self.films, self.settings, self.device = films, settings, device
        self.recogniser, self.foundation = placed(recogniser, device), placed(foundation, device)
        self.autoencoder = placed(autoencoder, device)
        codes = CodesPlan(foundation.channels, recogniser.plan.width, discrete=settings.discrete)
        synthesis = published(codes.features) if settings.published else SynthesisPlan(codes.features)
        self.network = placed(Trained(Codes(codes), IdentityPredictor(codes), Synthesis(synthesis)), device)
        self._standardise()
        self.kept_share = schedule(TIMES).alphas_cumprod.to(device)
        self.last: dict[str, Tensor] = {}

    def loss(self) -> Tensor:
        rows = self.films.pairs(PATIENTS).flatten()
        gray = self.films.gray(rows)
        with torch.no_grad(), autocast(self.device):
            local = self.recogniser(gray)
            who = functional.normalize(identity_of(local), dim=1)
            hidden = blocked(gray, self._shown(likeness(local)))
            latents, left = self.autoencoder.encode(torch.cat([gray, hidden])).float().chunk(2)
            features = self.network.codes.standardised(self.foundation(gray))
        with autocast(self.device):
            semantic, cost = self._code_losses(features, who)
            luck = self.films.drawn(len(rows))
            told_all = luck < self.settings.all_told
            known = luck < 1 - self.settings.nothing_told
            meaning = torch.where(told_all.view(-1, 1, 1, 1), features, semantic.float())
            diffused = self._diffusion_loss(latents, left, meaning, known)
        self.last["diffusion"] = diffused.detach()
        return cost + diffused

    def _shown(self, alike: Tensor) -> Tensor:
        settings, count = self.settings, len(alike)
        share, kind = self.films.drawn(count, 0.05, 1.0), self.films.drawn(count).view(-1, 1, 1)
        chance = torch.rand(alike.shape, generator=self.films.chance, device=alike.device)
        random = visible(chance, share)
        by_identity = torch.where(kind < settings.most_like, visible(alike, share), visible(alike, share, "least-like"))
        named = settings.most_like + settings.least_like
        shown = torch.where(kind < named, by_identity, random)
        return shown & (kind < named + settings.at_random)

    def _code_losses(self, features: Tensor, who: Tensor) -> tuple[Tensor, Tensor]:
        """The semantic features, and L_code-all + L_code-id: errors, and bits a pixel."""
        codes, beta = self.network.codes, self.settings.beta if self.settings.discrete else 0.0
        coded = codes.code(features, temperature=TEMPERATURE)
        telling = coded.codes * coded.mask
        pixels = float(self.films.films.shape[1] * self.films.films.shape[2])
        all_bits, identity_bits = codes.bits(coded.codes).mean(), codes.bits(telling).mean()
        error = (codes.features(coded.codes).float() - features).square().flatten(1).mean(1).sqrt().mean()
        missed = (self.network.predictor(telling).float() - who).norm(dim=1).mean()
        self.last |= {"features": error.detach(), "identity": missed.detach(), "bits": all_bits.detach()}
        self.last |= {"identity bits": identity_bits.detach(), "mask": coded.mask.detach().mean()}
        cost = error + missed + beta * (all_bits + identity_bits) / pixels
        return codes.features(coded.codes - telling), cost

    def _diffusion_loss(self, latents: Tensor, left: Tensor, meaning: Tensor, known: Tensor) -> Tensor:
        count, device = len(latents), latents.device
        times = torch.randint(TIMES, (count,), generator=self.films.chance, device=device)
        noise = torch.randn(latents.shape, generator=self.films.chance, device=device)
        signal = self.kept_share[times].sqrt().view(-1, 1, 1, 1)
        noisy_share = (1 - self.kept_share[times]).sqrt().view(-1, 1, 1, 1)
        synthesis = self.network.synthesis
        made = synthesis(signal * latents + noisy_share * noise, times, synthesis.conditions(left, meaning, known))
        return functional.mse_loss(made.float(), signal * noise - noisy_share * latents)

    def told(self, _: nn.Module) -> dict[str, Any]:
        return {name: round(float(value), 4) for name, value in self.last.items()}

    @torch.no_grad()
    def _standardise(self) -> None:
        """Mean and spread of every feature over some of the films."""
        some = self.films.films[:: max(1, len(self.films.films) // 512)]
        parts = [self.foundation(part.unsqueeze(1).float() / 255) for part in torch.split(some, 64)]
        maps = torch.cat(parts).transpose(0, 1).flatten(1)
        self.network.codes.mean.copy_(maps.mean(1))
        self.network.codes.spread.copy_(maps.std(1).clamp(min=1e-3))


def train_networks(
    films: TrainingFilms,
    out: Path,
    *,
    recogniser: Recogniser,
    foundation: Foundation,
    autoencoder: Autoencoder,
    settings: TrainingSettings,
    device: str,
    seconds: float,
    state: Path | None = None,
    progress: Callable[[dict[str, Any]], None] | None = None,
) -> dict[str, Any]:
    """OUT, the file of all networks, after so many seconds; what the last round told. A run goes on from `state`."""
    lessons = Lessons(films, recogniser, foundation, autoencoder, settings, device)

    def save(kept: nn.Module) -> None:
        assert isinstance(kept, Trained)
        save_networks(out, Networks(recogniser, kept.codes, kept.synthesis, foundation.digest))

    trainee = TimedTraining(
        network=lessons.network,
        optimizer=torch.optim.AdamW(
            lessons.network.parameters(), lr=settings.rate, betas=(0.9, 0.99), weight_decay=1e-2
        ),
        loss=lessons.loss,
        score=lessons.told,
        save=save,
        device=device,
        seconds=seconds,
        rate=settings.rate,
        clip=1.0,
        every=max(1.0, seconds / 12),
        fingerprint=f"dcm-deid {settings} {len(films.films)} {foundation.digest}",
    )
    return run(trainee, state, progress=progress).kept
