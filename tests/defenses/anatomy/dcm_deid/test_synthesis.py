from __future__ import annotations

import numpy as np
import torch
from monai.networks.schedulers.ddim import DDIMScheduler

from medveil.defenses.anatomy.dcm_deid.synthesis import NOISE, TIMES, Synthesis, SynthesisPlan, sampled, schedule

SMALL = SynthesisPlan(features=5, widths=(16, 16, 32), groups=8, head=16, fused=32)


def inputs(count: int = 2) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    chance = torch.Generator().manual_seed(1)
    blocked, meaning = (torch.randn(count, n, s, s, generator=chance) for n, s in ((4, 32), (5, 8)))
    return blocked, meaning, torch.ones(count, dtype=torch.bool)


def network() -> Synthesis:
    torch.manual_seed(0)
    made = Synthesis(SMALL).eval().requires_grad_(False)
    torch.nn.init.normal_(made.unet.out[2].conv.weight, std=0.1)  # it begins with nothing but zeros
    return made


def test_both_conditions_reach_the_film_and_an_unknown_meaning_does_not() -> None:
    made, (blocked, meaning, known) = network(), inputs()
    noisy, times = torch.randn(2, 4, 32, 32), torch.tensor([10, 900])

    def run(blocked: torch.Tensor, meaning: torch.Tensor, known: torch.Tensor) -> torch.Tensor:
        return made(noisy, times, made.conditions(blocked, meaning, known))

    first = run(blocked, meaning, known)
    assert first.shape == (2, 4, 32, 32)
    assert not torch.allclose(first, run(blocked + 1, meaning, known))
    assert not torch.allclose(first, run(blocked, meaning.flip(0), known))
    assert torch.equal(run(blocked, meaning, ~known), run(blocked, meaning.flip(0), ~known))


def test_steps_are_those_of_ddim() -> None:
    """Against the formula, and against MONAI's own walk over the same times."""
    made, (blocked, meaning, known) = network(), inputs(1)
    added = made.conditions(blocked, meaning, known)
    noise = torch.randn(1, 4, 32, 32, generator=torch.Generator().manual_seed(2))
    kept = DDIMScheduler(num_train_timesteps=TIMES, **NOISE).alphas_cumprod
    latents, times = noise, [999, 749, 499, 249]
    for time, after in zip(times, [*times[1:], None], strict=True):
        velocity = made(latents, torch.tensor([time]), added)
        now, then = kept[time], torch.tensor(1.0) if after is None else kept[after]
        clean = now.sqrt() * latents - (1 - now).sqrt() * velocity
        dirt = now.sqrt() * velocity + (1 - now).sqrt() * latents
        latents = then.sqrt() * clean + (1 - then).sqrt() * dirt
    assert torch.allclose(sampled(made, noise, added, 4), latents, atol=1e-4)


def test_one_step_begins_in_noise_and_ends_in_the_film() -> None:
    assert schedule(1).timesteps.tolist() == [999]
    assert schedule(20).timesteps.tolist() == list(range(999, 0, -50))
    made, (blocked, meaning, known) = network(), inputs(1)
    added, noise = made.conditions(blocked, meaning, known), torch.randn(1, 4, 32, 32)
    kept = schedule(1).alphas_cumprod[999]
    velocity = made(noise, torch.tensor([999]), added)
    assert torch.allclose(sampled(made, noise, added, 1), kept.sqrt() * noise - (1 - kept).sqrt() * velocity, atol=1e-5)


def test_the_published_sizes_fit_too() -> None:
    """Four sizes, of which the last is smaller than the fused features."""
    plan = SynthesisPlan(features=5, widths=(16, 16, 16, 32), groups=8, head=16, fused=32, blocks=2)
    made, (blocked, meaning, known) = Synthesis(plan).eval(), inputs(1)
    with torch.no_grad():
        out = made(torch.randn(1, 4, 32, 32), torch.tensor([5]), made.conditions(blocked, meaning, known))
    assert np.isfinite(out.numpy()).all()
