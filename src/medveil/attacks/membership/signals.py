"""What a model says of each patient: how sure it is of what belongs to them, by their pairs of image and report.

A pair is held against other people's reports and images, as in the contrastive loss that such models learn by: the
likelihood of the right report among them, and its odds. How warm the comparison is differs between models; each is read
at the temperature at which it explains the pairs of the other people best.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

TEMPERATURES = np.geomspace(0.005, 1.0, 32)
_ROWS = 512  # at a time


@dataclass(frozen=True)
class Signals:
    """By patient, logarithms: `odds` (channels × patients) and `likelihood` of what belongs to the patient.
    `similarity` of image and report, where the model has both in one space."""

    odds: Floats
    likelihood: Floats
    similarity: Floats | None = None


@dataclass(frozen=True)
class Pairs:
    """Vectors of images and of the reports that belong to them, row by row, and whose they are."""

    images: Vectors
    reports: Vectors
    patients: Codes

    def __len__(self) -> int:
        return len(self.patients)

    def take(self, rows: Codes | NDArray[np.bool_]) -> Pairs:
        return Pairs(self.images[rows], self.reports[rows], self.patients[rows])


def pair_signals(pairs: Pairs, crowd: Pairs, patients: int) -> Signals:
    """Of so many patients; the crowd are other people, whose reports and images compete."""
    temperature = best_temperature(crowd)
    odds, likelihood = _both_ways(pairs, crowd, temperature)
    own = _own(pairs)
    by_patient = [mean_by_code(values, pairs.patients, patients) for values in (odds, likelihood, own)]
    return Signals(by_patient[0][None], by_patient[1], by_patient[2])


def best_temperature(crowd: Pairs) -> float:
    """At which the pairs of the crowd are likeliest among themselves."""
    some = crowd.take(np.arange(min(len(crowd), 1000)))
    scores = (some.images @ some.reports.T).astype(np.float64)
    own = np.diagonal(scores)
    told = [np.mean(own / t - (log_sum(scores / t, 1) + log_sum(scores / t, 0)) / 2) for t in TEMPERATURES]
    return float(TEMPERATURES[int(np.argmax(told))])


def log_sum(values: Floats, axis: int) -> Floats:
    """The logarithm of the sum of exponentials."""
    most = values.max(axis=axis, keepdims=True)
    most = np.where(np.isfinite(most), most, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(values - most).sum(axis=axis)) + most.squeeze(axis))


def mean_by_code(values: Floats, codes: Codes, count: int) -> Floats:
    return np.asarray(np.bincount(codes, values, count) / np.maximum(np.bincount(codes, minlength=count), 1))


def _own(pairs: Pairs) -> Floats:
    return np.einsum("nd,nd->n", pairs.images, pairs.reports, dtype=np.float64)


def _both_ways(pairs: Pairs, crowd: Pairs, temperature: float) -> tuple[Floats, Floats]:
    """Log-odds and log-likelihood of each pair, from the image to the reports and back."""
    own = _own(pairs) / temperature
    odds, likelihood = np.zeros((2, len(pairs)))
    for ours, theirs in ((pairs.images, crowd.reports), (pairs.reports, crowd.images)):
        for start in range(0, len(pairs), _ROWS):
            rows = slice(start, start + _ROWS)
            rest = log_sum((ours[rows] @ theirs.T).astype(np.float64) / temperature, 1)
            odds[rows] += (own[rows] - rest) / 2
            likelihood[rows] += (own[rows] - np.logaddexp(own[rows], rest)) / 2
    return odds, likelihood
