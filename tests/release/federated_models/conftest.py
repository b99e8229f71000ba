from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from medveil.federated.recipe import Recipe
from medveil.federated.vision_language.films import Films

FINDINGS = ("Cardiomegaly", "Edema", "Pneumonia")
WORDS = ("heart", "large", "edema", "no", "lungs", "clear", "opacity", "left", "right", "base")


@pytest.fixture(scope="session")
def small_recipe() -> Recipe:
    return Recipe(
        findings=FINDINGS,
        side=32,
        channels=8,
        words=12,
        buckets=64,
        text_width=16,
        text_layers=1,
        embedding=8,
        local_steps=4,
        batch=16,
        negatives=8,
        learning_rate=3e-3,
    )


@pytest.fixture(scope="session")
def make_films(small_recipe: Recipe) -> Callable[..., Films]:
    """Films that show what they are labelled with, a bright patch each; some labels are wrong, to be remembered."""

    def make(patients: int, *, seed: int, wrong: float = 0.0, findings: int = 3) -> Films:
        rng = np.random.default_rng(seed)
        targets = (rng.random((patients, findings)) < 0.5).astype(np.float32)
        pixels = rng.integers(0, 60, (patients, 32, 32)).astype(np.uint8)
        for finding in range(findings):
            pixels[targets[:, finding] == 1, 4 + 9 * finding : 10 + 9 * finding, 8:24] += 150
        targets = np.where(rng.random(targets.shape) < wrong, 1 - targets, targets).astype(np.float32)
        texts = [" ".join(rng.choice(WORDS, 6)) for _ in range(patients)]
        names = [f"p{number:04}" for number in range(patients)]
        return Films.gathered(pixels, texts, targets, np.ones_like(targets, bool), names, small_recipe)

    return make
