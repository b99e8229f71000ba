"""An audit on the data that is worst for a loss, of the step that training takes: sampled, clipped, with its noise.

Canaries among ordinary pairs show what an ordinary data set gives away; a guarantee has to hold for every data set. So
data are built on which one pair, the canary, moves the sum of clipped gradients as far as the loss lets it: for a loss
over the batch, a pair that all the others listen to; for groups, a pair that turns its group around; for public
negatives, a pair whose gradient is clipped. The step is taken many times, with or without the canary by a fair coin.
The auditor knows all data and the direction in which the canary moves the sum, and guesses each coin from what the
step publishes. Nobody's data take part, so it costs no privacy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from medveil.defenses.alignment.accounting import noise_for
from medveil.defenses.alignment.feature_pairs import Pairs
from medveil.defenses.alignment.heads import Heads, heads_from_projections
from medveil.defenses.alignment.sampling import StepRandomness, Units
from medveil.defenses.alignment.settings import Settings, Variant
from medveil.defenses.alignment.steps import SampledStep
from medveil.stats.privacy_audit import PrivacyAudit, audit_one_run

PAIRS = 128  # with the canary: the published batch
TRIALS = 1000
TURNS = 60  # small groups that are drawn to find one that a pair turns around
SCALES = (1.0, 1e-4)  # of the heads: behind small ones every gradient is long, and clipped

Floats = NDArray[np.float32]


def worst_case_audit(
    variant: Variant, settings: Settings, *, trials: int = TRIALS, pairs: int = PAIRS, seed: int
) -> PrivacyAudit:
    """A lower bound on the epsilon of one step at this setting's epsilon; the trials' coins are independent."""
    rng = np.random.default_rng([seed, 4])
    noise = noise_for(settings.epsilon, settings.delta, 1.0, 1, settings.accountant)
    sought, worst = _worst(variant, settings, pairs, rng)
    included = rng.random(trials) < 0.5
    seeds = rng.integers(2**63, size=(trials, 2))
    scores = np.empty(trials)
    for trial, there in enumerate(included):
        step = worst.step(variant, settings, noise, canary=bool(there), seed=int.from_bytes(seeds[trial].tobytes()))
        scores[trial] = float(_flat(step.noisy_sum(0)) @ sought)
    return audit_one_run(scores, included, delta=settings.delta)


def furthest(variant: Variant, settings: Settings, *, pairs: int = PAIRS, seed: int) -> float:
    """How far one pair moves the sum of clipped gradients on the worst data that were found, in clipping norms."""
    return float(_worst(variant, settings, pairs, np.random.default_rng([seed, 4]))[0].norm()) / settings.clip


def _worst(
    variant: Variant, settings: Settings, pairs: int, rng: np.random.Generator
) -> tuple[torch.Tensor, _WorstData]:
    """Where the canary moves the sum, on the data on which it moves it furthest; of equals the first, a small one."""
    return max(
        ((data.difference(variant, settings), data) for data in _constructions(pairs, rng)),
        key=lambda found: round(float(found[0].norm()) / settings.clip, 3),
    )


@dataclass(frozen=True)
class _WorstData:
    """Heads, pairs of which the last is the canary, and public pairs to hold them against."""

    heads: Heads
    images: Floats
    reports: Floats
    public: Pairs

    def step(self, variant: Variant, settings: Settings, noise: float, *, canary: bool, seed: int = 0) -> SampledStep:
        """One step in which everybody takes part, in one group and against all public pairs."""
        rows = slice(0, len(self.images) if canary else len(self.images) - 1)
        pairs = Pairs(self.images[rows], self.reports[rows])
        count = len(self.images)
        whole = replace(
            settings, epochs=1, batch=count, group_size=count, negatives=len(self.public), unit="pair", seed=None
        )
        units = Units.of(np.arange(len(pairs)))
        return SampledStep(self.heads, pairs, units, self.public, variant, whole, noise, StepRandomness(seed))

    def difference(self, variant: Variant, settings: Settings) -> torch.Tensor:
        """Where the sum goes with the canary rather than without."""
        with_it, without = (
            _flat(self.step(variant, settings, 0.0, canary=canary).noisy_sum(0)) for canary in (True, False)
        )
        return with_it - without


def _constructions(pairs: int, rng: np.random.Generator) -> Iterator[_WorstData]:
    for scale in SCALES:
        for _ in range(TURNS):
            drawn = rng.normal(size=(2, 3, 3)).astype(np.float32)
            yield _with_public(drawn[0], drawn[1], scale, rng)
        yield _with_public(*_counterexample(pairs), scale, rng)


def _counterexample(pairs: int) -> tuple[Floats, Floats]:
    """The image of every ordinary pair points half at its own report and half at a place where no report is; the
    canary's report, last, stands just there."""
    axes = np.eye(pairs + 1, dtype=np.float32)
    return np.concatenate([axes[0] + axes[1:pairs], axes[pairs:]]), np.concatenate([axes[1:pairs], axes[:1]])


def _with_public(images: Floats, reports: Floats, scale: float, rng: np.random.Generator) -> _WorstData:
    width = images.shape[1]
    public = rng.normal(size=(2, 16, width)).astype(np.float32)
    heads = heads_from_projections(scale * torch.eye(width), scale * torch.eye(width))
    return _WorstData(heads, images, reports, Pairs(public[0], public[1]))


def _flat(parts: list[torch.Tensor]) -> torch.Tensor:
    return torch.cat([part.flatten().double() for part in parts])
