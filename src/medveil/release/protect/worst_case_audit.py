"""An audit on the data that is worst for a loss over the batch: one pair that all the others listen to.

Canaries among ordinary pairs show what an ordinary data set gives away; a guarantee has to hold for every data set.
Here the image of every ordinary pair points half at its own report and half at a place where no report is. The canary
is a pair whose report stands just there: with it in the batch, every other pair's loss, and so its gradient, is
another one. The same short training is run many times, with or without the canary by a fair coin, and the auditor
guesses each coin from the heads.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from numpy.typing import NDArray

from medveil.defenses.alignment.gradients import clipped_sum
from medveil.defenses.alignment.heads import Heads, heads_from_projections
from medveil.defenses.alignment.losses import BatchInfoNCE
from medveil.defenses.alignment.settings import Settings, Variant
from medveil.defenses.alignment.training import train_heads
from medveil.stats.privacy_audit import PrivacyAudit, audit_one_run

PAIRS = 128  # with the canary: the published batch
TRIALS = 300

Floats = NDArray[np.float32]


def worst_case_audit(
    variant: Variant, settings: Settings, *, trials: int = TRIALS, pairs: int = PAIRS, seed: int
) -> PrivacyAudit:
    """A lower bound on the epsilon of one step at this setting's epsilon; the trials' coins are independent."""
    rng = np.random.default_rng([seed, 4])
    included = rng.random(trials) < 0.5
    start, images, reports = _counterexample(pairs)
    sought = _difference(start, images, reports, settings)
    drawn = rng.normal(size=(2, pairs, pairs + 1)).astype(np.float32)
    public = (drawn[0], drawn[1])
    one_step = replace(settings, epochs=1, batch=pairs, unit="pair")
    scores = np.empty(trials)
    with TemporaryDirectory() as folder:
        for trial, there in enumerate(included):
            rows = slice(0, pairs if there else pairs - 1)
            trained = train_heads(
                images[rows],
                reports[rows],
                patients=np.arange(pairs)[rows],
                start=start,
                out=Path(folder) / str(trial),
                variant=variant,
                settings=replace(one_step, seed=int(rng.integers(2**62))),
                public=public,
            ).heads
            scores[trial] = _along(start, trained, sought)
    return audit_one_run(scores, included, delta=settings.delta)


def _counterexample(pairs: int) -> tuple[Heads, Floats, Floats]:
    """Heads that change nothing, ordinary pairs, and the canary last."""
    width = pairs + 1
    axes = np.eye(width, dtype=np.float32)
    images = np.concatenate([axes[0] + axes[1:pairs], axes[pairs:]])
    reports = np.concatenate([axes[1:pairs], axes[:1]])
    return heads_from_projections(torch.eye(width), torch.eye(width)), images, reports


def _difference(start: Heads, images: Floats, reports: Floats, settings: Settings) -> list[torch.Tensor]:
    """Where the heads go with the canary rather than without: against the difference of the clipped gradients."""

    def gradient(count: int) -> list[torch.Tensor]:
        features = torch.from_numpy(images[:count]), torch.from_numpy(reports[:count])
        return clipped_sum(start, BatchInfoNCE(settings.temperature), *features, torch.arange(count), settings.clip)

    with_it, without = gradient(len(images)), gradient(len(images) - 1)
    return [two - one for one, two in zip(with_it, without, strict=True)]


def _along(start: Heads, trained: Heads, sought: list[torch.Tensor]) -> float:
    """How far training moved the heads in the sought direction."""
    with torch.no_grad():
        moved = zip(trained.parameters(), start.parameters(), sought, strict=True)
        return sum(float(((after - before) * direction).sum()) for after, before, direction in moved)
