from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from medveil.federated.recipe import Recipe
from medveil.federated.vision_language.films import Films

FINDINGS = ("Cardiomegaly", "Edema", "Pneumonia")
WORDS = ("heart", "large", "edema", "no", "lungs", "clear", "opacity", "left", "right", "base")


@pytest.fixture
def small_recipe() -> Recipe:
    """The smallest model that has all parts."""
    return Recipe(
        findings=FINDINGS,
        side=32,
        channels=8,
        words=12,
        buckets=64,
        text_width=16,
        text_layers=1,
        embedding=8,
        local_steps=2,
        batch=4,
        negatives=4,
    )


@pytest.fixture
def make_films(small_recipe: Recipe) -> Callable[..., Films]:
    """Films that show what they are labelled with: a bright patch each."""

    def make(patients: int = 6, *, seed: int = 0, films: int = 2, reports: bool = True) -> Films:
        rng = np.random.default_rng(seed)
        count = patients * films
        targets = (rng.random((count, len(FINDINGS))) < 0.5).astype(np.float32)
        pixels = rng.integers(0, 60, (count, small_recipe.side, small_recipe.side)).astype(np.uint8)
        for finding in range(len(FINDINGS)):
            pixels[targets[:, finding] == 1, 4 + 9 * finding : 10 + 9 * finding, 8:24] += 150
        texts = [" ".join(rng.choice(WORDS, 6)) if reports else "" for _ in range(count)]
        ids = [f"p{number // films}" for number in range(count)]
        return Films.gathered(pixels, texts, targets, np.ones_like(targets, bool), ids, small_recipe)

    return make
