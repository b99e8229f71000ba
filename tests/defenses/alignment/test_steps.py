from __future__ import annotations

import numpy as np
import pytest
import torch

from medveil.defenses.alignment.feature_pairs import Pairs
from medveil.defenses.alignment.heads import Features, biovil_t_heads
from medveil.defenses.alignment.sampling import StepRandomness, Units
from medveil.defenses.alignment.settings import Settings, Variant
from medveil.defenses.alignment.steps import EntropyStep, SampledStep, sampled_steps, sampling_probability

HEADS = biovil_t_heads(seed=0)


def pairs(count: int) -> Pairs:
    rng = np.random.default_rng(0)
    sides: list[Features] = [rng.standard_normal((count, n), dtype=np.float32) for n in (512, 768)]
    return Pairs(*sides)


def step(variant: Variant, noise: float, count: int = 40, **changes: object) -> SampledStep:
    data = pairs(count)
    settings = Settings(**{"batch": 10, "group_size": 5, **changes})  # type: ignore[arg-type]
    return SampledStep(HEADS, data, Units.of(np.arange(count) // 2), data, variant, settings, noise, StepRandomness(3))


def flat(parts: list[torch.Tensor]) -> torch.Tensor:
    return torch.cat([part.flatten() for part in parts])


@pytest.mark.parametrize(("variant", "expected"), [("dp", 5.0), ("dp-groups", 2.0), ("dp-nominal", 5.0)])
def test_noise_is_the_multiplier_times_the_sensitivity(variant: Variant, expected: float) -> None:
    """The same step with and without noise differs by Gaussian noise, over the expected number of vectors."""
    sensitivity = 3.0 if variant == "dp-groups" else 1.5
    noise = (flat(step(variant, 0.8)(1)) - flat(step(variant, 0.0)(1))) * expected
    assert noise.numel() == 197_504
    assert float(noise.std()) == pytest.approx(0.8 * sensitivity, rel=0.01)
    assert float(noise.mean()) == pytest.approx(0, abs=0.02)
    assert float((noise.abs() < 0.8 * sensitivity).float().mean()) == pytest.approx(0.6827, abs=0.005)


def test_an_empty_sample_gets_noise_too() -> None:
    private = step("dp", 0.8, batch=1)
    sparse = SampledStep(
        HEADS, private.pairs, private.units, private.public, "dp", private.settings, 0.8, private.randomness
    )
    silent = step("dp", 0.0, batch=1)
    empty = [number for number in range(40) if not flat(silent(number)).any()]
    assert 5 < len(empty) < 35
    for number in empty[:3]:
        assert float(flat(sparse(number)).std()) == pytest.approx(0.8 * 1.5 / 0.5, rel=0.01)


def test_clipping_bounds_the_sum() -> None:
    for variant in ("dp", "plain"):
        silent = step(variant, 0.0, clip=1e-3)
        assert 0 < float(flat(silent(0)).norm()) * 5 <= 20 * 1e-3


def test_steps_and_probability_as_published() -> None:
    assert sampled_steps(153_255, Settings()) == 5_986
    assert sampling_probability(153_255, Settings()) == 128 / 153_255
    assert sampling_probability(50, Settings()) == 1.0 and sampled_steps(50, Settings()) == 5


def test_every_pair_is_seen_once_an_epoch_by_the_entropy_variant() -> None:
    seen: list[int] = []

    class Watched(Pairs):
        def take(self, rows: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
            seen.extend(rows.tolist())
            return super().take(rows)

    data = pairs(23)
    entropy = EntropyStep(HEADS, Watched(data.images, data.reports), Settings(batch=10), StepRandomness(1))
    assert entropy.batches == 3
    for number in range(3):
        entropy(number)
    first, seen[:] = list(seen), []
    assert sorted(first) == list(range(23))
    for number in range(3, 6):
        entropy(number)
    assert sorted(seen) == list(range(23)) and seen != first
