"""How well vectors recognise people: retrieval and verification, with intervals, chance and control, and by slice.

The control sees age, sex, view and site only. Images of a query's own study never count as found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.attacks.identity.judged_pairs import (
    MOST_PAIRS,
    JudgedPairs,
    Score,
    by_slice,
    decision_table,
    held_out,
    interval_figure,
    roc,
    series_of,
)
from medveil.attacks.identity.pairs import PairSet, Side, same_person, two_persons
from medveil.attacks.identity.subgroups import pair_slices, query_slices
from medveil.cohort.features import demographics
from medveil.errors import NotMeasurable
from medveil.finding import Figure, Series, Table
from medveil.stats import retrieval
from medveil.stats.bootstrap import unit_codes, unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.shares import share
from medveil.stats.verification import PairRedraws, curve_estimates, decision_estimates

Doubles = NDArray[np.float64]
Singles = NDArray[np.float32]
Verify = Callable[[Singles, Singles], Doubles]

RANKS = (1, 2, 3, 5, 10, 20, 50, 100)
SLICE_RATE = 0.01  # false matches at which slices are compared


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
    genuine = same_person(side, None)
    if count < 2 or len(np.unique(patients[genuine.left])) < 2:
        raise NotMeasurable("recognition needs at least two patients with images from two studies each")
    weights = unit_weights(count, redraws=redraws, seed=seed)
    found = _retrieval(side, weights)
    strangers = two_persons(side, None, seed=seed, most=4 * MOST_PAIRS)
    pairs = JudgedPairs.of(side, genuine, strangers, _score(side, verify), seed=seed)
    checked = curve_estimates(pairs.scored, pairs.redraws(weights), control=pairs.control)
    checked = {("pair AUC" if name == "AUC" else name): estimate for name, estimate in checked.items()}
    if pair_redraws:
        by_pair = PairRedraws.by_pair(pairs.scored, redraws=pair_redraws, seed=seed)
        checked["pair AUC, redrawn by pair"] = curve_estimates(pairs.scored, by_pair, rates=())["AUC"]
    decided = held_out(pairs, weights, seed)
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
            roc(pairs),
            *interval_figure("True matches by what changed", "pairs of one person", by_pair_slice),
            *interval_figure("Patients found by group", "images", by_query_slice),
        ),
        tables=(
            decision_table(decided),
            _slice_table(f"True-match rate at {SLICE_RATE:g} false matches, by slice", by_pair_slice),
            _slice_table("Precision@1 by group", by_query_slice),
        ),
    )


def _score(side: Side, verify: Verify | None) -> Score:
    if verify is None:
        return lambda pairs: pairs.scores(side.vectors, side.vectors)
    return lambda pairs: np.asarray(verify(side.vectors[pairs.left], side.vectors[pairs.right]), dtype=np.float64)


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
            series=(
                series_of("attack", RANKS, ours),
                Series("chance", RANKS, blind),
                Series("control", RANKS, control),
            ),
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


def _pair_slices(pairs: JudgedPairs, table: pd.DataFrame, weights: Doubles) -> dict[str, dict[str, Estimate]]:
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

    return by_slice(pair_slices(table, PairSet(genuine.left, genuine.right)), owners, rate)


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
    return by_slice(slices, patients, rate)


def _named(decided: Mapping[str, Mapping[str, Estimate]]) -> dict[str, Estimate]:
    return {f"{measure} at {where}": estimate for where, all_ in decided.items() for measure, estimate in all_.items()}


def _slice_table(title: str, slices: dict[str, dict[str, Estimate]]) -> Table:
    rows = tuple(
        (question, answer, e.value, e.low, e.high, e.chance, e.control, e.n, e.units)
        for question, answers in slices.items()
        for answer, e in answers.items()
    )
    return Table(title, ("slice", "value", "share", "low", "high", "chance", "control", "n", "patients"), rows)
