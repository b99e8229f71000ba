"""How well vectors recognise people: retrieval and verification, with intervals, chance and control, and by slice.

The control sees age, sex, view and site only. Images of a query's own study never count as found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.attacks.identity.pairs import PairSet, Side, same_person, two_persons
from medveil.attacks.identity.subgroups import Members, pair_slices, query_slices
from medveil.cohort.features import demographics
from medveil.errors import NotMeasurable
from medveil.finding import SMALLEST_GROUP, Figure, Series, Table
from medveil.stats import retrieval
from medveil.stats.bootstrap import unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.shares import share
from medveil.stats.verification import PairRedraws, ScoredPairs, curve_estimates, decision_estimates

Doubles = NDArray[np.float64]
Singles = NDArray[np.float32]
Verify = Callable[[Singles, Singles], Doubles]

MOST_PAIRS = 50_000  # of each kind: the published protocol
RANKS = (1, 2, 3, 5, 10, 20, 50, 100)
SLICE_RATE = 0.01  # false matches at which slices are compared
_POINTS = 60  # of a drawn ROC curve


@dataclass(frozen=True)
class Evaluation:
    """Estimates by name, and what the report shows of them."""

    estimates: dict[str, Estimate]
    slices: dict[str, dict[str, Estimate]]  # true-match rate of pairs, by question and answer
    query_slices: dict[str, dict[str, Estimate]]  # precision@1, by question and answer
    figures: tuple[Figure, ...]
    tables: tuple[Table, ...]


def evaluate(
    vectors: Singles,
    table: pd.DataFrame,
    *,
    seed: int,
    redraws: int = 1000,
    verify: Verify | None = None,
    pair_redraws: int = 0,
) -> Evaluation:
    """Everything the published evaluation reports, on one cohort's vectors, row by row of its table.

    Pairs are scored by inner product, or by `verify`, which turns the vectors of both images into the probability
    of one person; only a probability is also judged at 0.5. `pair_redraws` adds the AUC redrawn by pair, as
    published with 10,000.
    """
    patients, count = unit_codes(table["patient_id"].to_numpy())
    studies, _ = unit_codes(table["study_id"].to_numpy())
    side = Side(vectors, demographics(table), patients, studies)
    genuine = _at_most(same_person(side, None), seed)
    if count < 2 or len(np.unique(patients[genuine.left])) < 2:
        raise NotMeasurable("recognition needs at least two patients with images from two studies each")
    weights = unit_weights(count, redraws=redraws, seed=seed)
    found = _retrieval(side, weights)
    pairs = _Pairs.of(side, genuine, two_persons(side, None, seed=seed, most=4 * MOST_PAIRS), verify, seed)
    checked = curve_estimates(pairs.scored, pairs.redraws(weights), control=pairs.control)
    checked = {("pair AUC" if name == "AUC" else name): estimate for name, estimate in checked.items()}
    if pair_redraws:
        by_pair = PairRedraws.by_pair(pairs.scored, redraws=pair_redraws, seed=seed)
        checked["pair AUC, redrawn by pair"] = curve_estimates(pairs.scored, by_pair, rates=())["AUC"]
    decided = _held_out(pairs, weights, seed)
    if verify is not None:
        decided = {"0.5": decision_estimates(pairs.scored, 0.5, pairs.redraws(weights)), **decided}
    by_pair_slice = _pair_slices(pairs, table, weights)
    by_query_slice = _query_slices(found, table, patients, weights)
    return Evaluation(
        estimates={**found.estimates, **checked, **_named(decided)},
        slices=by_pair_slice,
        query_slices=by_query_slice,
        figures=(
            found.figure(weights, patients),
            _roc(pairs),
            *_interval_figure("True matches by what changed", "pairs of one person", by_pair_slice),
            *_interval_figure("Patients found by group", "images", by_query_slice),
        ),
        tables=(
            _decision_table(decided),
            _slice_table(f"True-match rate at {SLICE_RATE:g} false matches, by slice", by_pair_slice),
            _slice_table("Precision@1 by group", by_query_slice),
        ),
    )


@dataclass(frozen=True)
class _Retrieval:
    estimates: dict[str, Estimate]
    ranks: tuple[retrieval.BestMatchRanks, retrieval.BestMatchRanks, retrieval.BestMatchRanks]  # attack, blind, control

    def figure(self, weights: Doubles, patients: NDArray[np.intp]) -> Figure:
        curves = [retrieval.cmc(ranks, RANKS) for ranks in self.ranks]
        ours = [retrieval.mean_by_patient(curves[0][:, i], patients, weights) for i in range(len(RANKS))]
        blind, control = (tuple(np.nanmean(curve, axis=0).tolist()) for curve in curves[1:])
        return Figure(
            title="How soon a true match is found",
            kind="line",
            x_title="images looked at",
            y_title="share of queries with a match among them",
            series=(_series("attack", RANKS, ours), Series("chance", RANKS, blind), Series("control", RANKS, control)),
        )


def _retrieval(side: Side, weights: Doubles) -> _Retrieval:
    groups, exclude = side.patients, side.studies
    ours, control = (retrieval.best_match_ranks(v, v, groups, exclude=exclude) for v in (side.vectors, side.control))
    blind = retrieval.blind_ranks(groups, exclude=exclude)
    attack_r, control_r = (
        retrieval.precisions_at_r(v, v, groups, exclude=exclude) for v in (side.vectors, side.control)
    )
    blind_r = retrieval.blind_precisions_at_r(groups, exclude=exclude)
    first = tuple(retrieval.precision_at_1(ranks) for ranks in (ours, blind, control))
    measured = {
        "precision@1": first,
        "R-precision": (attack_r[0], blind_r[0], control_r[0]),
        "mAP@R": (attack_r[1], blind_r[1], control_r[1]),
    }
    estimates = {
        name: retrieval.mean_by_patient(attack, groups, weights, chance=chance, control=other)
        for name, (attack, chance, other) in measured.items()
    }
    return _Retrieval(estimates, (ours, blind, control))


@dataclass(frozen=True)
class _Pairs:
    """As many pairs of one person as of two where there are enough, scored by attack and control."""

    left: NDArray[np.intp]  # rows of the table
    right: NDArray[np.intp]
    same: NDArray[np.bool_]
    patients: tuple[NDArray[np.intp], NDArray[np.intp]]
    scores: Doubles
    control_scores: Doubles

    @classmethod
    def of(cls, side: Side, genuine: PairSet, strangers: PairSet, verify: Verify | None, seed: int) -> _Pairs:
        strangers = _at_most(strangers, seed)
        both = PairSet(*(np.concatenate(rows) for rows in zip(_rows(genuine), _rows(strangers), strict=True)))
        scores = (
            both.scores(side.vectors, side.vectors)
            if verify is None
            else np.asarray(verify(side.vectors[both.left], side.vectors[both.right]), dtype=np.float64)
        )
        return cls(
            both.left,
            both.right,
            np.arange(len(both)) < len(genuine),
            (side.patients[both.left], side.patients[both.right]),
            scores,
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

    def where(self, keep: NDArray[np.bool_]) -> _Pairs:
        first, second = self.patients
        return _Pairs(
            self.left[keep],
            self.right[keep],
            self.same[keep],
            (first[keep], second[keep]),
            self.scores[keep],
            self.control_scores[keep],
        )


def _rows(pairs: PairSet) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    return pairs.left, pairs.right


def _at_most(pairs: PairSet, seed: int) -> PairSet:
    if len(pairs) <= MOST_PAIRS:
        return pairs
    kept = np.random.default_rng([seed, 7]).choice(len(pairs), MOST_PAIRS, replace=False)
    return PairSet(pairs.left[np.sort(kept)], pairs.right[np.sort(kept)])


def _held_out(pairs: _Pairs, weights: Doubles, seed: int) -> dict[str, dict[str, Estimate]]:
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


def _pair_slices(pairs: _Pairs, table: pd.DataFrame, weights: Doubles) -> dict[str, dict[str, Estimate]]:
    """The share of pairs of one person that are recognised, at the threshold of the whole cohort."""
    genuine = pairs.where(pairs.same)
    hits, control = (
        (own >= scored.curve().threshold_at(SLICE_RATE)).astype(np.float64)
        for own, scored in ((genuine.scores, pairs.scored), (genuine.control_scores, pairs.control))
    )
    owners = genuine.patients[0]

    def rate(members: NDArray[np.bool_]) -> Estimate:
        other = float(control[members].mean())
        return share(hits[members], owners[members], weights, chance=SLICE_RATE, control=other)

    return _by_slice(pair_slices(table, PairSet(genuine.left, genuine.right)), owners, rate)


def _query_slices(
    found: _Retrieval, table: pd.DataFrame, patients: NDArray[np.intp], weights: Doubles
) -> dict[str, dict[str, Estimate]]:
    ours, blind, control = (retrieval.precision_at_1(ranks) for ranks in found.ranks)
    measured = np.isfinite(ours)

    def rate(members: NDArray[np.bool_]) -> Estimate:
        return retrieval.mean_by_patient(
            ours[members], patients[members], weights, chance=blind[members], control=control[members]
        )

    slices = {
        question: {answer: members & measured for answer, members in answers.items()}
        for question, answers in query_slices(table).items()
    }
    return _by_slice(slices, patients, rate)


def _by_slice(
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


def _named(decided: Mapping[str, Mapping[str, Estimate]]) -> dict[str, Estimate]:
    return {f"{measure} at {where}": estimate for where, all_ in decided.items() for measure, estimate in all_.items()}


def _roc(pairs: _Pairs) -> Figure:
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


def _series(name: str, x: tuple[Any, ...], estimates: list[Estimate]) -> Series:
    columns = zip(*((e.value, e.low, e.high) for e in estimates), strict=True)
    return Series(name, x, *(tuple(column) for column in columns))


def _interval_figure(title: str, what: str, slices: dict[str, dict[str, Estimate]]) -> list[Figure]:
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
            series=(_series("attack", tuple(told), list(told.values())),),
            note=f"Slices of fewer than {SMALLEST_GROUP} patients are left out.",
        )
    ]


def _slice_table(title: str, slices: dict[str, dict[str, Estimate]]) -> Table:
    rows = tuple(
        (question, answer, e.value, e.low, e.high, e.chance, e.control, e.n, e.units)
        for question, answers in slices.items()
        for answer, e in answers.items()
    )
    return Table(title, ("slice", "value", "share", "low", "high", "chance", "control", "n", "patients"), rows)


def _decision_table(decided: Mapping[str, Mapping[str, Estimate]]) -> Table:
    rows = tuple(
        (where, measure, e.value, e.low, e.high, e.n, e.units)
        for where, measures in decided.items()
        for measure, e in measures.items()
    )
    return Table(
        "Decisions at a threshold", ("threshold", "measure", "share", "low", "high", "pairs", "patients"), rows
    )
