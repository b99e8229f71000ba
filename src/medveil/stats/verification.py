"""One person or two? ROC curve, AUC, equal error rate and decisions at a threshold, over scored pairs.

A pair is called a match when its score reaches the threshold. Redraws weigh the pairs: by pair, as often published,
or by patient, which is the honest one, for the pairs of one patient succeed and fail together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from medveil.stats.estimate import Estimate
from medveil.stats.kernels.grid import Codes

Doubles = NDArray[np.float64]

FALSE_MATCH_RATES = (1e-1, 1e-2, 1e-3, 1e-4)


class Curve(NamedTuple):
    """A ROC curve from (0, 0) to (1, 1): at each threshold the shares of pairs of two and of one person called a
    match."""

    false_match: Doubles
    true_match: Doubles
    thresholds: Doubles  # the first is +inf: nothing matches

    @property
    def auc(self) -> float:
        return float(np.trapezoid(self.true_match, self.false_match))

    @property
    def equal_error_rate(self) -> float:
        """Where the line through the points has as many false matches as missed ones."""
        excess = self.false_match - (1 - self.true_match)
        if np.isnan(excess).any():
            return float("nan")
        after = int(np.argmax(excess >= 0))
        low, high = excess[after - 1], excess[after]
        step = -low / (high - low)
        return float(self.false_match[after - 1] + step * (self.false_match[after] - self.false_match[after - 1]))

    def true_match_at(self, rate: float) -> float:
        """The most true matches at a threshold with no more than this share of false ones; no interpolation."""
        if np.isnan(self.false_match).any():
            return float("nan")
        return float(self.true_match[np.searchsorted(self.false_match, rate, side="right") - 1])

    def threshold_at(self, rate: float) -> float:
        """The lowest threshold with no more than this share of false matches."""
        return float(self.thresholds[np.searchsorted(self.false_match, rate, side="right") - 1])


class ScoredPairs:
    """Pairs sorted by score once; each curve under new weights then takes linear time."""

    def __init__(self, scores: Doubles, same: NDArray[np.bool_]) -> None:
        if np.isnan(scores).any():
            raise ValueError("a pair without a score cannot be judged")
        order = np.argsort(-scores, kind="stable")
        self.scores, self.same = scores[order], same[order]
        self.order = order
        ends = np.flatnonzero(np.r_[self.scores[1:] != self.scores[:-1], np.ones(min(len(scores), 1), bool)])
        self._ends = ends
        self._corners = _corners(ends, self.same)

    def curve(self, weights: Doubles | None = None) -> Curve:
        """All points, one for each distinct score; `weights` in the order of the scores given."""
        return self._curve(None if weights is None else weights[self.order], self._ends)

    def corners(self, sorted_weights: Doubles) -> Curve:
        """The same line without the points in the middle of its straight parts; weights sorted as the scores are."""
        return self._curve(sorted_weights, self._corners)

    def _curve(self, weights: Doubles | None, ends: Codes) -> Curve:
        ours = np.cumsum(self.same if weights is None else np.where(self.same, weights, 0.0), dtype=np.float64)
        total = np.cumsum(np.ones(len(ours)) if weights is None else weights, dtype=np.float64)
        true, every = np.r_[0.0, ours[ends]], np.r_[0.0, total[ends]]
        false = every - true
        return Curve(_of_last(false), _of_last(true), np.r_[np.inf, self.scores[ends]])

    def decisions(self, threshold: float, sorted_weights: Doubles | None = None) -> Decisions:
        """What calling a match from this threshold on gets right and wrong."""
        weights = np.ones(len(self.scores)) if sorted_weights is None else sorted_weights
        called = int(np.searchsorted(-self.scores, -threshold, side="right"))
        own, everything = np.where(self.same, weights, 0.0), weights
        true, false = own[:called].sum(), everything[:called].sum() - own[:called].sum()
        return Decisions(true, false, everything.sum() - own.sum() - false, own.sum() - true)


@dataclass(frozen=True)
class Decisions:
    """Counts, or sums of weights, of pairs by what was called and what was so."""

    true_match: float
    false_match: float
    true_other: float
    false_other: float

    def measures(self) -> dict[str, float]:
        """The published measures; NaN where there is nothing to divide by."""
        tp, fp, tn, fn = self.true_match, self.false_match, self.true_other, self.false_other
        return {
            "accuracy": _ratio(tp + tn, tp + fp + tn + fn),
            "specificity": _ratio(tn, tn + fp),
            "recall": _ratio(tp, tp + fn),
            "precision": _ratio(tp, tp + fp),
            "F1": _ratio(2 * tp, 2 * tp + fp + fn),
        }


@dataclass(frozen=True)
class PairRedraws:
    """Weights of sorted pairs, redraw by redraw, with what was redrawn."""

    unit: str
    units: int
    weights: Any  # a callable that gives an iterator of weights, always the same ones

    @classmethod
    def by_patient(cls, pairs: ScoredPairs, left: Codes, right: Codes, weights: Doubles) -> PairRedraws:
        """`left` and `right` are patients, `weights` redraws × patients.

        A redraw has a patient's own pairs once each time the patient is drawn, and pairs of two patients once for
        each two drawn.
        """
        ours, theirs = left[pairs.order], right[pairs.order]

        def draws() -> Iterator[Doubles]:
            for row in weights:
                first = row[ours]
                yield np.where(pairs.same, first, first * row[theirs])

        return cls("patient", len(np.union1d(left, right)), draws)

    @classmethod
    def by_pair(cls, pairs: ScoredPairs, *, redraws: int, seed: int) -> PairRedraws:
        """As often published: every pair as if it were of people of its own."""
        n = len(pairs.scores)

        def draws() -> Iterator[Doubles]:
            rng = np.random.default_rng([seed, n])
            for _ in range(redraws):
                yield np.bincount(rng.integers(n, size=n, dtype=np.int32), minlength=n).astype(np.float64)

        return cls("pair", n, draws)


def curve_estimates(
    pairs: ScoredPairs,
    redraws: PairRedraws,
    *,
    rates: Sequence[float] = FALSE_MATCH_RATES,
    control: ScoredPairs | None = None,
) -> dict[str, Estimate]:
    """AUC, equal error rate, and the true-match rate at each false-match rate that the pairs can resolve."""
    strangers = int((~pairs.same).sum())
    rates = [rate for rate in rates if rate * strangers >= 1]

    def statistics(curve: Curve) -> list[float]:
        return [curve.auc, curve.equal_error_rate, *(curve.true_match_at(rate) for rate in rates)]

    draws = np.array([statistics(pairs.corners(weights)) for weights in redraws.weights()])
    names = ["AUC", "equal error rate", *(f"true-match rate at {rate:g}" for rate in rates)]
    values = statistics(pairs.curve())
    controls = [None] * len(names) if control is None else statistics(control.curve())
    chances = [0.5, 0.5, *rates]
    return {
        name: _estimate(value, draws[:, i], pairs, redraws, chance=chances[i], control=controls[i], share=i > 1)
        for i, (name, value) in enumerate(zip(names, values, strict=True))
    }


def decision_estimates(pairs: ScoredPairs, threshold: float, redraws: PairRedraws) -> dict[str, Estimate]:
    """Accuracy, specificity, recall, precision and F1 at a threshold that was fixed beforehand."""
    values = pairs.decisions(threshold).measures()
    draws = [pairs.decisions(threshold, weights).measures() for weights in redraws.weights()]
    return {
        name: _estimate(value, np.array([draw[name] for draw in draws]), pairs, redraws, share=True)
        for name, value in values.items()
        if np.isfinite(value)
    }


def _estimate(
    value: float, draws: Doubles, pairs: ScoredPairs, redraws: PairRedraws, *, share: bool, **rest: Any
) -> Estimate:
    found = Estimate.from_replicates(value, draws, n=len(pairs.scores), units=redraws.units, unit=redraws.unit, **rest)
    if share or found.sd == 0:  # redrawing never invents an error that was not seen
        found = replace(found.as_share(), bounds=share)
    return found


def _corners(ends: Codes, same: NDArray[np.bool_]) -> Codes:
    """Of all points of the line, those where it may turn: between two ties that are of one and the same kind only,
    it does not, whatever the weights."""
    if not len(ends):
        return ends
    starts = np.r_[0, ends[:-1] + 1]
    own = np.add.reduceat(same.astype(np.int64), starts)
    sizes = ends - starts + 1
    kind = np.where(own == sizes, 1, np.where(own == 0, 0, -1))
    straight = (kind[:-1] == kind[1:]) & (kind[:-1] >= 0)
    return ends[np.r_[~straight, True]]


def _of_last(running: Doubles) -> Doubles:
    return running / running[-1] if running[-1] > 0 else np.full(len(running), np.nan)


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0 else float("nan")
