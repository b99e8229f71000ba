"""Semantic codes: what a foundation model sees of a film, in as few whole numbers as will do, parted from identity.

Straight from the paper: an encoder of three residual blocks, 32 integer channels rounded with a straight-through
gradient, each channel's codelength under a mixture of three Gaussians, a mask that one convolution predicts, and a
predictor that must find the identity in what the mask lets through. What it does not let through is the meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

LEAST = 1e-12  # probability of a code: forty bits are enough for any number


@dataclass(frozen=True)
class CodesPlan:
    """`features` maps come in, `identity` numbers must be predicted. Without `discrete`, codes are not rounded."""

    features: int
    identity: int
    width: int = 256
    channels: int = 32
    mixtures: int = 3
    discrete: bool = True


class Coded(NamedTuple):
    """Codes (n × channels × h × w), and where they tell the identity: 1 there, 0 elsewhere."""

    codes: Tensor
    mask: Tensor


class Codes(nn.Module):
    """Feature maps (n × features × h × w) to codes, and codes back to feature maps."""

    mean: Tensor
    spread: Tensor

    def __init__(self, plan: CodesPlan) -> None:
        super().__init__()
        self.plan = plan
        self.register_buffer("mean", torch.zeros(plan.features))
        self.register_buffer("spread", torch.ones(plan.features))
        wide, few = plan.width, plan.channels
        self.encoder = nn.Sequential(
            nn.Conv2d(plan.features, wide, 1), *_three(wide), nn.Conv2d(wide, few, 3, padding=1)
        )
        self.decoder = nn.Sequential(
            nn.Conv2d(few, wide, 3, padding=1), *_three(wide), nn.Conv2d(wide, plan.features, 1)
        )
        self.part = nn.Conv2d(few, 2 * few, 3, padding=1)
        self.mixture = Mixture(few, plan.mixtures)

    def standardised(self, features: Tensor) -> Tensor:
        """With mean 0 and spread 1 in every channel, over the films that were trained on."""
        return (features - self.mean.view(1, -1, 1, 1)) / self.spread.view(1, -1, 1, 1)

    def code(self, features: Tensor, *, temperature: float | None = None) -> Coded:
        """Codes of standardised features. With a temperature the mask is drawn and passes gradients, as in training."""
        codes = self.encoder(features).float()
        codes = rounded(codes) if self.plan.discrete else codes
        if temperature is None:
            return Coded(codes, (self.likely_identity(codes) > 0).to(codes))
        return Coded(codes, functional.gumbel_softmax(self._odds(codes), tau=temperature, hard=True, dim=1)[:, 1])

    def likely_identity(self, codes: Tensor) -> Tensor:
        """How much each code is held to tell the identity: the odds behind the mask."""
        odds = self._odds(codes)
        return odds[:, 1] - odds[:, 0]

    def _odds(self, codes: Tensor) -> Tensor:
        odds: Tensor = self.part(codes).float().unflatten(1, (2, self.plan.channels))
        return odds

    def features(self, codes: Tensor) -> Tensor:
        """Standardised features of codes."""
        made: Tensor = self.decoder(codes)
        return made

    def bits(self, codes: Tensor) -> Tensor:
        """The codelength of each film's codes (n)."""
        return self.mixture.bits(codes).flatten(1).sum(1)


class IdentityPredictor(nn.Module):
    """The identity in codes: three residual blocks and the mean; needed in training only."""

    def __init__(self, plan: CodesPlan) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(plan.channels, plan.width, 1), *_three(plan.width))
        self.last = nn.Linear(plan.width, plan.identity)

    def forward(self, codes: Tensor) -> Tensor:
        found: Tensor = self.last(self.body(codes).mean((2, 3)))
        return found


class Mixture(nn.Module):
    """The probability of whole numbers, channel by channel: a mixture of Gaussians, the same at every place."""

    def __init__(self, channels: int, components: int) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(channels, components))
        self.means = nn.Parameter(torch.linspace(-2, 2, components).repeat(channels, 1))
        self.log_variances = nn.Parameter(torch.zeros(channels, components))

    def probability(self, codes: Tensor) -> Tensor:
        """p(q) = F(q + ½) − F(q − ½), of codes n × channels × h × w."""
        shape = (1, codes.shape[1], 1, 1, -1)
        weights = self.weights.softmax(1).view(shape)
        scale = (self.log_variances / 2).exp().view(shape)
        away = (codes.unsqueeze(-1) - self.means.view(shape)).abs()  # by symmetry, and exact far out: no 1 − 1
        inside = torch.special.ndtr((0.5 - away) / scale) - torch.special.ndtr((-0.5 - away) / scale)
        return (weights * inside).sum(-1)

    def bits(self, codes: Tensor) -> Tensor:
        """−log₂ p(q) of every code."""
        return -self.probability(codes.float()).clamp(min=LEAST).log2()


def rounded(values: Tensor) -> Tensor:
    """To whole numbers; the gradient passes as if nothing had happened."""
    return values + (values.round() - values).detach()


class ResidualBlock(nn.Module):
    """A ResNet's block: narrow to a quarter, filter, widen, beside a shortcut."""

    def __init__(self, width: int) -> None:
        super().__init__()
        inner, groups = width // 4, max(1, width // 64)
        self.body = nn.Sequential(
            *(nn.GroupNorm(groups, width), nn.SiLU(), nn.Conv2d(width, inner, 1)),
            *(nn.GroupNorm(groups, inner), nn.SiLU(), nn.Conv2d(inner, inner, 3, padding=1)),
            *(nn.GroupNorm(groups, inner), nn.SiLU(), nn.Conv2d(inner, width, 1)),
        )

    def forward(self, x: Tensor) -> Tensor:
        added: Tensor = x + self.body(x)
        return added


def _three(width: int) -> list[nn.Module]:
    return [ResidualBlock(width) for _ in range(3)]
