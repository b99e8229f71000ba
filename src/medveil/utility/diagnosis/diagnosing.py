"""A classifier learned from some films and tried on films of other patients.

Both start from the backbone of the identity network, which has never been told a finding: a network that knows the
labels of the originals would bring to defended films what they no longer hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from medveil.errors import NotMeasurable
from medveil.stats.bootstrap import unit_codes
from medveil.utility.diagnosis.films import LabelledFilms, Pixels

Effort = Literal["small", "full"]
EFFORTS: tuple[Effort, ...] = ("small", "full")
Floats = NDArray[np.float64]


class Classifier(Protocol):
    def scores(self, pixels: Pixels) -> Floats:
        """Log odds, films × findings; a finding that could not be learned has the same for all."""


@dataclass(frozen=True)
class Diagnosed:
    """What a classifier said of films that it never saw, beside the truth."""

    scores: Floats
    targets: NDArray[np.float32]
    counts: NDArray[np.bool_]
    patients: NDArray[Any]


def learn(fit: LabelledFilms, *, effort: Effort = "small", device: str = "cpu", seed: int = 0) -> Classifier:
    """`small`: one linear layer on fixed features, seconds on a processor. `full`: the whole network, for CUDA."""
    if not any(_both(fit, k) for k in range(fit.targets.shape[1])):
        raise NotMeasurable("no finding is both present and absent in the films to learn from")
    if effort == "small":
        from medveil.utility.diagnosis.features import FeatureProbe

        return FeatureProbe.learned(fit, device=device, seed=seed)
    from medveil.utility.diagnosis.fine_tuning import FineTuned

    return FineTuned.learned(fit, device=device, seed=seed)


def tried(classifier: Classifier, target: LabelledFilms) -> Diagnosed:
    return Diagnosed(classifier.scores(target.pixels), target.targets, target.counts, target.patients)


def diagnose(
    fit: LabelledFilms, target: LabelledFilms, *, effort: Effort = "small", device: str = "cpu", seed: int = 0
) -> Diagnosed:
    """Learn from the ones, look at the others; they are films of different patients, or nothing is measured."""
    if np.intersect1d(fit.patients, target.patients).size:
        raise ValueError("a patient's films are both learned from and looked at")
    return tried(learn(fit, effort=effort, device=device, seed=seed), target)


def folds(patients: NDArray[Any], count: int, *, seed: int) -> NDArray[np.intp]:
    """Patients dealt into folds; the number of each film's fold."""
    who, people = unit_codes(patients)
    dealt: NDArray[np.intp] = np.random.default_rng([seed, people]).permutation(people)[who] % count
    return dealt


def _both(films: LabelledFilms, finding: int) -> bool:
    known = films.targets[films.counts[:, finding], finding]
    return bool((known == 1).any() and (known == 0).any())
