"""A private epoch over cached features, against Opacus.

    python benchmarks/alignment_epoch.py --pairs 153255 --batch 128

Trains BioViL-T's two heads (197,504 parameters) with the `dp` variant for one epoch of Poisson-sampled steps, in
slices. After each slice, Opacus takes a few steps of the same kind: same heads, same sampling, same public negatives,
same clipping norm, noise and optimizer. Its epoch is the mean step times the number of steps. Two Opacus modes are
timed, on one thread and on all: its default (the gradient of every example is formed) and its ghost clipping (norms
first, then a second pass back). The target is at most 1/5 of the default, at the number of threads that suits it best.
On a busy machine the ratio of processor times is the one to read.
"""

from __future__ import annotations

import argparse
import itertools
import resource
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from opacus import GradSampleModule
from opacus.grad_sample import GradSampleModuleFastGradientClipping
from opacus.optimizers import DPOptimizer, DPOptimizerFastGradientClipping
from opacus.utils.fast_gradient_clipping_utils import DPLossFastGradientClipping
from torch import Tensor, nn
from torch.nn import functional

from medveil.defenses.alignment.heads import Heads, biovil_t_heads
from medveil.defenses.alignment.sampling import StepRandomness, Units, poisson_sample
from medveil.defenses.alignment.settings import Settings
from medveil.defenses.alignment.steps import (
    Pairs,
    SampledStep,
    optimise,
    optimiser_of,
    public_negatives,
    sampled_steps,
    sampling_probability,
)

NOISE = 0.96


@dataclass
class Clock:
    """Wall and processor seconds of the steps taken."""

    steps: int = 0
    wall: float = 0.0
    processor: float = 0.0

    def time(self, work: Callable[[], None], steps: int) -> None:
        wall, processor = time.perf_counter(), time.process_time()
        work()
        self.wall += time.perf_counter() - wall
        self.processor += time.process_time() - processor
        self.steps += steps

    def epoch(self, steps: int) -> tuple[float, float]:
        return self.wall / self.steps * steps, self.processor / self.steps * steps


class Both(nn.Module):
    """The two heads as Opacus wants them: one module, unit-length embeddings out."""

    def __init__(self, heads: Heads) -> None:
        super().__init__()
        self.image, self.report = nn.Sequential(*heads.image), nn.Sequential(*heads.report)

    def forward(self, images: Tensor, reports: Tensor) -> tuple[Tensor, Tensor]:
        return functional.normalize(self.image(images), dim=1), functional.normalize(self.report(reports), dim=1)


class OpacusSteps:
    """Opacus' steps on the same data."""

    def __init__(self, pairs: Pairs, public: Pairs, settings: Settings, *, ghost: bool) -> None:
        self.pairs, self.public, self.settings, self.ghost = pairs, public, settings, ghost
        self.heads = biovil_t_heads(seed=0)
        both = Both(self.heads)
        adamw = torch.optim.AdamW(both.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay)
        how = {"noise_multiplier": NOISE, "max_grad_norm": settings.clip, "expected_batch_size": settings.batch}
        if ghost:
            self.module = GradSampleModuleFastGradientClipping(
                both, max_grad_norm=settings.clip, use_ghost_clipping=True
            )
            self.optimizer = DPOptimizerFastGradientClipping(adamw, **how)
            self.criterion = DPLossFastGradientClipping(self.module, self.optimizer, PerPair())
        else:
            self.module, self.optimizer = GradSampleModule(both), DPOptimizer(adamw, **how)

    def __call__(self, step: int) -> None:
        rng = np.random.default_rng(step)
        rows = poisson_sample(len(self.pairs), sampling_probability(len(self.pairs), self.settings), rng)
        loss = public_negatives(self.heads, self.public, self.settings, rng)
        self.optimizer.zero_grad()
        losses = loss(*self.module(*self.pairs.take(rows)))
        if self.ghost:
            self.criterion(losses, None).backward()
        else:
            losses.mean().backward()
        self.optimizer.step()

    def take(self, steps: int) -> None:
        for number in range(steps):
            self(number)


class PerPair:
    """A loss that is its own result: Opacus' ghost clipping wraps a criterion."""

    reduction = "mean"

    def __call__(self, losses: Tensor, _: None) -> Tensor:
        return losses if self.reduction == "none" else losses.mean()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=153_255)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--unit", choices=("pair", "patient"), default="pair")
    parser.add_argument("--slices", type=int, default=8)
    parser.add_argument("--opacus-steps", type=int, default=10, help="per slice and mode")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    rng = np.random.default_rng(0)
    pairs, public = (
        Pairs(rng.standard_normal((n, 512), dtype=np.float32), rng.standard_normal((n, 768), dtype=np.float32))
        for n in (options.pairs, 4096)
    )
    settings = Settings(unit=options.unit, batch=options.batch, epochs=1)
    codes = np.arange(len(pairs)) // (3 if options.unit == "patient" else 1)
    heads = biovil_t_heads(seed=0)
    step = SampledStep(heads, pairs, Units.of(codes), public, "dp", settings, NOISE, StepRandomness(1))
    optimiser, grown = optimiser_of(heads, settings), 0
    steps = sampled_steps(len(pairs), settings)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    threads = (1, torch.get_num_threads())
    ours, theirs = Clock(), {(ghost, count): Clock() for ghost in (False, True) for count in threads}
    peers = {ghost: OpacusSteps(pairs, public, settings, ghost=ghost) for ghost in (False, True)}
    for first, last in itertools.pairwise(np.linspace(0, steps, options.slices + 1).astype(int)):
        ours.time(partial(optimise, heads, optimiser, step, range(first, last)), last - first)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory if first == 0 else grown
        for (ghost, count), clock in theirs.items():
            torch.set_num_threads(count)
            peers[ghost](0)  # not timed: the first step after a change of threads starts them
            clock.time(partial(peers[ghost].take, options.opacus_steps), options.opacus_steps)
    print(f"{len(pairs):,} pairs, {steps:,} steps of {options.batch} pairs expected, by {options.unit}")
    wall, processor = ours.epoch(steps)
    print(f"medveil: an epoch takes {wall:.1f} s ({processor:.1f} s of processor time), one thread")
    for (ghost, count), clock in theirs.items():
        seconds, busy = clock.epoch(steps)
        print(
            f"Opacus{', ghost clipping' if ghost else ''}, {count} threads: {seconds:.1f} s ({busy:.1f} s), from"
            f" {clock.steps} steps; medveil takes {wall / seconds:.3f} ({processor / busy:.3f}) of it"
        )
    print(f"memory beyond the features: {grown / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
