"""Pairs of one person and of two, scored and judged: which of them are called a match, and how the report shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.identity.pairs import PairSet, Side
from medveil.attacks.identity.subgroups import Members
from medveil.finding import SMALLEST_GROUP, Figure, Series, Table
from medveil.stats.estimate import Estimate
from medveil.stats.verification import PairRedraws, ScoredPairs, decision_estimates

Doubles = NDArray[np.float64]
Score = Callable[[PairSet], Doubles]

MOST_PAIRS = 50_000  # of each kind: the published protocol
_POINTS = 60  # of a drawn ROC curve


@dataclass(frozen=True)
class JudgedPairs:
    """Pairs of one person and pairs of two, scored by attack and control."""

    left: NDArray[np.intp]  # rows of the table
    right: NDArray[np.intp]
    same: NDArray[np.bool_]
    patients: tuple[NDArray[np.intp], NDArray[np.intp]]
    scores: Doubles
    control_scores: Doubles

    @classmethod
    def of(
        cls, side: Side, genuine: PairSet, strangers: PairSet, score: Score, *, seed: int, balanced: bool = False
    ) -> JudgedPairs:
        """At most 50,000 of each kind, and if `balanced` no more of two persons than of one."""
        genuine = at_most(genuine, seed)
        strangers = at_most(strangers, seed, len(genuine) if balanced else MOST_PAIRS)
        both = PairSet(*(np.concatenate(rows) for rows in zip(_rows(genuine), _rows(strangers), strict=True)))
        return cls(
            both.left,
            both.right,
            np.arange(len(both)) < len(genuine),
            (side.patients[both.left], side.patients[both.right]),
            score(both),
            both.scores(side.control, side.control),
        )

    @property
    def scored(self) -> ScoredPairs:
        return ScoredPairs(self.scores, self.same)

    @property
    def control(self) -> ScoredPairs:
        return ScoredPairs(self.control_scores, self.same)

    def redraws(self, weights: Doubles) -> PairRedraws:
        return PairRedraws.by_patient(self.scored, *self.patients, weights)

    def where(self, keep: NDArray[np.bool_]) -> JudgedPairs:
        first, second = self.patients
        return JudgedPairs(
            self.left[keep],
            self.right[keep],
            self.same[keep],
            (first[keep], second[keep]),
            self.scores[keep],
            self.control_scores[keep],
        )


def _rows(pairs: PairSet) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    return pairs.left, pairs.right


def at_most(pairs: PairSet, seed: int, most: int = MOST_PAIRS) -> PairSet:
    if len(pairs) <= most:
        return pairs
    kept = np.random.default_rng([seed, 7]).choice(len(pairs), most, replace=False)
    return PairSet(pairs.left[np.sort(kept)], pairs.right[np.sort(kept)])


def held_out(pairs: JudgedPairs, weights: Doubles, seed: int) -> dict[str, dict[str, Estimate]]:
    """Decisions at thresholds that one half of the patients sets for a false-match rate and the other half tests."""
    half = np.random.default_rng([seed, 9]).permutation(weights.shape[1]) % 2
    sides = half[pairs.patients[0]], half[pairs.patients[1]]
    teach, test = (pairs.where((sides[0] == each) & (sides[1] == each)) for each in (0, 1))
    decided = {}
    for rate in (0.1, 0.01, 0.001):
        if rate * (~teach.same).sum() >= 1 and test.same.any() and not test.same.all():
            threshold = teach.scored.curve().threshold_at(rate)
            decided[f"false matches {rate:g}"] = decision_estimates(test.scored, threshold, test.redraws(weights))
    return decided


def by_slice(
    slices: Mapping[str, Members], patients: NDArray[np.intp], rate: Callable[[NDArray[np.bool_]], Estimate]
) -> dict[str, dict[str, Estimate]]:
    """Questions with the answers that enough patients gave."""
    told = {
        question: {
            answer: rate(members)
            for answer, members in answers.items()
            if len(np.unique(patients[members])) >= SMALLEST_GROUP
        }
        for question, answers in slices.items()
    }
    return {question: answers for question, answers in told.items() if answers}


def roc(pairs: JudgedPairs) -> Figure:
    grid = np.concatenate([[0.0], np.logspace(-4, 0, _POINTS)])
    ours, control = (scored.curve() for scored in (pairs.scored, pairs.control))
    x = tuple(grid.tolist())
    return Figure(
        title="True and false matches",
        kind="line",
        x_title="share of pairs of two persons called a match",
        y_title="share of pairs of one person called a match",
        series=(
            Series("attack", x, tuple(ours.true_match_at(rate) for rate in grid)),
            Series("chance", x, x),
            Series("control", x, tuple(control.true_match_at(rate) for rate in grid)),
        ),
    )


def roc_overlay(networks: Mapping[str, JudgedPairs]) -> Figure:
    """The curves of several networks in one figure."""
    x = tuple(np.concatenate([[0.0], np.logspace(-4, 0, _POINTS)]).tolist())
    curves = {name: pairs.scored.curve() for name, pairs in networks.items()}
    return Figure(
        title="True and false matches",
        kind="line",
        x_title="share of pairs of two persons called a match",
        y_title="share of pairs of one person called a match",
        series=(
            *(Series(name, x, tuple(curve.true_match_at(rate) for rate in x)) for name, curve in curves.items()),
            Series("chance", x, x),
        ),
    )


def series_of(name: str, x: tuple[Any, ...], estimates: list[Estimate]) -> Series:
    columns = zip(*((e.value, e.low, e.high) for e in estimates), strict=True)
    return Series(name, x, *(tuple(column) for column in columns))


def interval_figure(title: str, what: str, slices: dict[str, dict[str, Estimate]]) -> list[Figure]:
    """One figure, or none where every slice was too small."""
    told = {f"{question}: {answer}": e for question, answers in slices.items() for answer, e in answers.items()}
    if not told:
        return []
    return [
        Figure(
            title=title,
            kind="interval",
            x_title="slice",
            y_title=f"share of {what}",
            series=(series_of("attack", tuple(told), list(told.values())),),
            note=f"Slices of fewer than {SMALLEST_GROUP} patients are left out.",
        )
    ]


def decision_table(decided: Mapping[str, Mapping[str, Estimate]]) -> Table:
    rows = tuple(
        (where, measure, e.value, e.low, e.high, e.n, e.units)
        for where, measures in decided.items()
        for measure, e in measures.items()
    )
    return Table(
        "Decisions at a threshold", ("threshold", "measure", "share", "low", "high", "pairs", "patients"), rows
    )
