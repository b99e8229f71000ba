"""What fixed image embeddings still say about the 14 findings: one linear layer, its penalty chosen on validation.

The probe is logistic regression for all findings at once; labels that do not count are masked out of the loss and
out of every measure. Test images are looked at once, after everything is chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.cohort import LABELS
from medveil.errors import NotMeasurable
from medveil.stats.auc import WeightedAUC, honest_auc
from medveil.stats.bootstrap import mean_replicates, replicates
from medveil.stats.estimate import Estimate

PENALTIES = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003)  # of the squared weights, beside the mean loss
FEWEST_UNITS = 10  # with and without a finding; fewer say nothing about it
_SMALL = 1 << 21  # numbers
MEASURES = ("AUROC", "accuracy", "sensitivity", "specificity")

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class LabelledEmbeddings:
    """Embeddings of images, their 14 targets (0 or 1), and where a target counts."""

    embeddings: NDArray[np.float32]
    targets: NDArray[np.float32]
    counts: NDArray[np.bool_]

    def __post_init__(self) -> None:
        if not len(self.embeddings) == len(self.targets) == len(self.counts):
            raise ValueError("embeddings and labels differ in number")
        if not np.isfinite(self.embeddings).all():
            raise ValueError("an embedding is not finite")

    def __len__(self) -> int:
        return len(self.embeddings)


@dataclass(frozen=True)
class LinearProbe:
    """A fitted layer on standardised embeddings; `labels` are the findings it was able to learn."""

    weights: Floats  # dimensions × labels
    bias: Floats
    centre: Floats
    scale: Floats
    labels: tuple[int, ...]
    penalty: float
    validation_auroc: float

    def log_odds(self, embeddings: NDArray[np.float32]) -> Floats:
        """Images × labels; above zero the finding is called present."""
        return (embeddings - self.centre) / self.scale @ self.weights + self.bias

    @property
    def directions(self) -> Floats:
        """Of the embeddings as they are: a finding's log odds grow along its own; dimensions × labels."""
        return self.weights / self.scale[:, None]


def fit_probe(
    train: LabelledEmbeddings, validation: LabelledEmbeddings, *, penalties: Sequence[float] = PENALTIES
) -> LinearProbe:
    """Fit with every penalty, strongest first, and keep the one with the best macro AUROC on validation."""
    labels = tuple(k for k in range(train.targets.shape[1]) if _both(train, k) and _both(validation, k))
    if not labels:
        raise NotMeasurable("no finding occurs, and is absent, in both the training and the validation images")
    centre = train.embeddings.mean(axis=0, dtype=np.float64)
    spread = train.embeddings.std(axis=0, dtype=np.float64)
    scale = np.where(spread > 1e-12, spread, 1.0)
    features = (train.embeddings - centre) / scale
    targets, counts = train.targets[:, labels].astype(np.float64), train.counts[:, labels]
    layer = np.zeros((features.shape[1] + 1, len(labels)))
    best: LinearProbe | None = None
    for penalty in sorted(penalties, reverse=True):
        layer = _minimise(features, targets, counts, penalty, layer)
        probe = LinearProbe(layer[:-1], layer[-1], centre, scale, labels, penalty, 0.0)
        reached = _macro_auroc(probe.log_odds(validation.embeddings), validation, labels)
        if best is None or reached > best.validation_auroc:
            best = LinearProbe(layer[:-1], layer[-1], centre, scale, labels, penalty, reached)
    assert best is not None
    return best


def probe_estimates(
    probe: LinearProbe, test: LabelledEmbeddings, units: Codes, redraws: Floats, *, unit: str = "patient"
) -> dict[str, Estimate]:
    """Macro measures first, then every finding's: "macro AUROC", ..., "Edema AUROC", "Edema accuracy", ...

    `units` says whose each image is (or numbers the images themselves, to redraw those); `redraws` × units weighs
    them. Two probes measured with the same redraws can be compared in pairs.
    """
    labels = [k for k in probe.labels if _enough(test, k, units)]
    if not labels:
        raise NotMeasurable(
            f"a linear probe needs a finding with at least {FEWEST_UNITS} test {unit}s who have it "
            f"and {FEWEST_UNITS} who do not"
        )
    odds = probe.log_odds(test.embeddings)
    found = {k: _label_measures(odds[:, probe.labels.index(k)], test, k, units, redraws) for k in labels}
    estimate = partial(_estimate, units=units, unit=unit)
    estimates = {}
    for at, measure in enumerate(MEASURES):
        value = float(np.mean([found[k][0][at] for k in labels]))
        draws = np.nanmean([found[k][1][at] for k in labels], axis=0)
        estimates[f"macro {measure}"] = estimate(value, draws, np.ones(len(test), bool), measure)
    for k in labels:
        for at, measure in enumerate(MEASURES):
            value, draws = float(found[k][0][at]), found[k][1][at]
            estimates[f"{LABELS[k]} {measure}"] = _widened(
                estimate(value, draws, test.counts[:, k], measure, _smaller(test, k, units)),
                units[_counted(test, k, measure)],
                measure,
            )
    return estimates


def _both(part: LabelledEmbeddings, label: int) -> bool:
    known = part.targets[part.counts[:, label], label]
    return bool((known == 1).any() and (known == 0).any())


def _enough(test: LabelledEmbeddings, label: int, units: Codes) -> bool:
    return _smaller(test, label, units) >= FEWEST_UNITS


def _smaller(test: LabelledEmbeddings, label: int, units: Codes) -> int:
    """How many units have a finding, or have not, whichever are fewer."""
    known, target = test.counts[:, label], test.targets[:, label]
    return min(len(np.unique(units[known & (target == value)])) for value in (1, 0))


def _minimise(features: Floats, targets: Floats, counts: NDArray[np.bool_], penalty: float, start: Floats) -> Floats:
    """The layer (last row the bias) with the least mean masked log loss plus penalty, all findings together."""
    from scipy.optimize import minimize
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    shares = counts / counts.sum(axis=0)  # every finding's loss is a mean over the images where it is known

    def loss(flat: Floats) -> tuple[float, Floats]:
        layer = flat.reshape(start.shape)
        odds = features @ layer[:-1] + layer[-1]
        value = (shares * (np.logaddexp(0, odds) - targets * odds)).sum() + penalty / 2 * (layer[:-1] ** 2).sum()
        with np.errstate(over="ignore"):
            slope = shares * (1 / (1 + np.exp(-odds)) - targets)
        gradient = np.vstack([features.T @ slope + penalty * layer[:-1], slope.sum(axis=0)])
        return float(value), gradient.ravel()

    options = {"maxiter": 500, "ftol": 1e-10, "gtol": 1e-6}
    # threads that wait for one another at every small product take longer than one alone
    with threadpool_limits(1) if features.size < _SMALL else nullcontext():
        return minimize(loss, start.ravel(), jac=True, method="L-BFGS-B", options=options).x.reshape(start.shape)


def _macro_auroc(odds: Floats, part: LabelledEmbeddings, labels: Sequence[int]) -> float:
    known = [(at, k, part.counts[:, k]) for at, k in enumerate(labels)]
    return float(np.mean([WeightedAUC(odds[use, at], part.targets[use, k] == 1)() for at, k, use in known]))


def _label_measures(
    odds: Floats, test: LabelledEmbeddings, label: int, units: Codes, redraws: Floats
) -> tuple[list[float], list[Floats]]:
    """AUROC, accuracy, sensitivity and specificity of one finding: values, and replicates."""
    use = test.counts[:, label]
    odds, positive, who = odds[use], test.targets[use, label] == 1, units[use]
    auc = WeightedAUC(odds, positive)
    right = ((odds > 0) == positive).astype(np.float64)
    masks = (np.ones(len(odds), bool), positive, ~positive)
    values = [auc(), *(float(right[mask].mean()) for mask in masks)]
    draws = [replicates(lambda row: auc(row[who]), redraws)]
    draws += [mean_replicates(right[mask], who[mask], redraws) for mask in masks]
    return values, draws


def _counted(test: LabelledEmbeddings, label: int, measure: str) -> NDArray[np.bool_]:
    """The rows that a measure of one finding is about."""
    known, present = test.counts[:, label], test.targets[:, label] == 1
    return known & {"sensitivity": present, "specificity": ~present}.get(measure, np.ones(len(test), bool))


def _widened(found: Estimate, units: Codes, measure: str) -> Estimate:
    """Of a share, the wider of the redraws' ends and the exact ones that count every unit once."""
    if measure == "AUROC":
        return found
    return replace(replace(found, units=len(np.unique(units))).as_share(), units=found.units)


def _estimate(
    value: float,
    draws: Floats,
    counted: NDArray[np.bool_],
    measure: str,
    fewest: int | None = None,
    *,
    units: Codes,
    unit: str,
) -> Estimate:
    rest: dict[str, Any] = {"chance": 0.5} if measure == "AUROC" else {}
    number = len(np.unique(units[counted]))
    found = Estimate.from_replicates(value, draws, n=int(counted.sum()), units=number, unit=unit, **rest)
    return honest_auc(found, fewest) if measure == "AUROC" else found
