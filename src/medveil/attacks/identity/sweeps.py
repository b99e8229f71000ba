"""The same evaluation over a range: the images' resolution, and how many patients an attacker could train on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.identity.evaluation import Evaluation, Singles, evaluate
from medveil.cohort import Cohort
from medveil.cohort.preprocess import resize
from medveil.errors import SettingsError
from medveil.stats.bootstrap import unit_codes

Images = Sequence[NDArray[Any]]
Embed = Callable[[Images], Singles]

_BATCH = 64


def embed_cohort(cohort: Cohort, embed: Embed, *, side: int | None = None) -> Singles:
    """The vectors of a cohort's images, read a batch at a time, first shrunk to `side` pixels where given."""
    batches = []
    for start in range(0, len(cohort), _BATCH):
        images = [cohort.image(row) for row in range(start, min(start + _BATCH, len(cohort)))]
        batches.append(embed(images if side is None else [resize(image, side) for image in images]))
    return np.concatenate(batches)


def sweep_resolution(
    cohort: Cohort, embed: Embed, sizes: Sequence[int], *, seed: int, redraws: int = 1000
) -> dict[int, Evaluation]:
    """The evaluation of the same images at every size in pixels, on the same pairs and redraws."""
    return {
        size: evaluate(embed_cohort(cohort, embed, side=size), cohort.table, seed=seed, redraws=redraws)
        for size in sorted(sizes)
    }


def study_training_size(
    training: Cohort,
    unseen: Cohort,
    fit: Callable[[Cohort], Embed],
    sizes: Sequence[int],
    *,
    seed: int,
    redraws: int = 1000,
) -> dict[int, Evaluation]:
    """The evaluation on unseen patients after `fit` on this many patients; smaller sets are part of larger ones."""
    if set(training.table["patient_id"]) & set(unseen.table["patient_id"]):
        raise SettingsError("some patients are both trained on and tested on; split the cohort by patient first")
    codes, count = unit_codes(training.table["patient_id"].to_numpy())
    if max(sizes) > count:
        raise SettingsError(f"the training cohort has {count} patients, fewer than the largest size asked for")
    place = np.random.default_rng([seed, 11]).permutation(count)
    return {
        size: evaluate(
            embed_cohort(unseen, fit(training.where(place[codes] < size))), unseen.table, seed=seed, redraws=redraws
        )
        for size in sorted(sizes)
    }
