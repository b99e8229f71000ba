"""A judge held against people: Cohen's κ, and scores corrected by a labelled sample.

The correction is prediction-powered inference (Angelopoulos et al. 2023, weighted as in PPI++): the judge's mean over
all answers, less its mean error on the labelled ones. It is right whatever mistakes the judge makes, as long
as the labelled answers were drawn at random from all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from medveil.errors import NotMeasurable
from medveil.stats.bootstrap import replicates, unit_codes, unit_weights
from medveil.stats.estimate import Estimate

Floats = NDArray[np.float64]
FEWEST = 20  # labels; fewer correct nothing


def kappa(judged: Floats, labels: Floats, weights: Floats | None = None) -> float:
    """Cohen's, of two raters of 0 and 1; not a number where both say one and the same of everything."""
    weights = np.ones(len(labels)) if weights is None else weights
    total = weights.sum()
    if not total:
        return float("nan")
    agreed = (weights * (judged == labels)).sum() / total
    ours, theirs = (weights * judged).sum() / total, (weights * labels).sum() / total
    expected = ours * theirs + (1 - ours) * (1 - theirs)
    return float((agreed - expected) / (1 - expected)) if expected < 1 - 1e-12 else float("nan")


def agreement(judged: Floats, labels: Floats, images: Sequence[str], *, seed: int) -> Estimate | None:
    """κ with an interval by image; None where both call every answer the same."""
    if len(labels) < FEWEST:
        raise NotMeasurable(f"agreement with a person needs at least {FEWEST} labels")
    codes, units = unit_codes(np.array(images, dtype=object))
    value = kappa(judged, labels)
    if units < 2:
        raise NotMeasurable("agreement with a person needs labels on at least two images")
    if not np.isfinite(value):
        return None
    redrawn = replicates(lambda row: kappa(judged, labels, row[codes]), unit_weights(units, seed=seed))
    return Estimate.from_replicates(value, redrawn, n=len(labels), units=units, unit="image", chance=0.0)


def corrected(
    judged: Floats,
    labels: Floats,
    images: Sequence[str],
    *,
    seed: int,
    chance: float | None = None,
    least: float = 0.0,
) -> Estimate:
    """The mean of what people would say. `labels` has NaN where nobody was asked; the others were drawn at random.

    Answers that were not judged (NaN) are left out. `least` is the smallest value there is: -1 for differences.
    """
    there = np.isfinite(judged)
    images = [image for image, use in zip(images, there, strict=True) if use]
    judged, labels = judged[there], labels[there]
    known = np.isfinite(labels)
    if known.sum() < FEWEST:
        raise NotMeasurable(f"a score is corrected by at least {FEWEST} labels")
    codes, units = unit_codes(np.array(images, dtype=object))
    if units < 2:
        raise NotMeasurable("a corrected score needs answers on at least two images")
    told = np.where(known, labels, 0.0)
    weight = _weight(judged[known], labels[known])

    def value(row: Floats) -> float:
        everyone, asked = row[codes], row[codes] * known
        if not asked.sum():
            return float("nan")
        return float(weight * (everyone @ judged) / everyone.sum() + asked @ (told - weight * judged) / asked.sum())

    redrawn = replicates(value, unit_weights(units, seed=seed))
    plain = min(1.0, max(least, value(np.ones(units))))
    found = Estimate.from_replicates(
        plain, np.clip(redrawn, least, 1), n=len(judged), units=units, unit="image", chance=chance
    )
    return found if least < 0 else found.as_share()


def _weight(judged: Floats, labels: Floats) -> float:
    """How far the judge is followed: not at all where it does not go with the labels, so that it costs no precision."""
    spread = float(judged.var())
    together = float(((judged - judged.mean()) * (labels - labels.mean())).mean())
    return min(1.0, max(0.0, together / spread)) if spread else 0.0
