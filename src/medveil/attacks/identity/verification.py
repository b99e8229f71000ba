"""Verification as an attack: a network that was trained to say of two radiographs whether they show one person.

It judges pairs as the paper's does: as many of one person as of two, called a match from a probability of 0.5 on.
Beside that stands what counts for a release: who can be linked while few strangers pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.attacks.identity.calibration_check import CheckedCalibration
from medveil.attacks.identity.exclusions import set_aside_table
from medveil.attacks.identity.findings import (
    BY_COPIES,
    GLOSSARY,
    HEADLINE,
    NAME,
    count_strangers,
    linked_by_copies,
    one_in,
)
from medveil.attacks.identity.gallery import Gallery, pairs_of
from medveil.attacks.identity.identification import Sample
from medveil.attacks.identity.judged_pairs import (
    JudgedPairs,
    at_most,
    by_slice,
    decision_table,
    held_out,
    roc,
    series_of,
)
from medveil.attacks.identity.linkable import Contest, Dealt, Linkable
from medveil.attacks.identity.links import PER_IMAGE, ranked_links
from medveil.attacks.identity.pairs import PairSet, Side, Singles, same_person, two_persons
from medveil.attacks.identity.power import identity_power
from medveil.attacks.identity.subgroups import by_group, patient_groups, published_slices
from medveil.cohort.schema import LABELS
from medveil.encoders.identity.preparing import Preparation
from medveil.finding import ONE_IN_ELEVEN, SMALLEST_GROUP, Figure, Finding, Picture, Table, percent
from medveil.stats.bootstrap import unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.kernels.grid import Codes
from medveil.stats.shares import share
from medveil.stats.verification import PairRedraws, ScoredPairs, curve_estimates, decision_estimates

Doubles = NDArray[np.float64]
Image = NDArray[Any]
Row = tuple[str | float | int | None, ...]

THRESHOLD = 0.5  # the paper's
SLICE_RATE = 0.01  # false matches at which slices are compared too
MEASURES = ("AUC", "accuracy", "specificity", "recall", "precision", "F1")  # the paper's, in its order
_BLOCK = 2**16  # pairs compared at once


class PairJudge(Protocol):
    """What the attack asks of a verification network; `medveil.encoders.identity.verifier` has one."""

    name: str
    dim: int
    card: dict[str, Any]
    preparation: Preparation

    def embed(self, images: Iterable[Image]) -> Singles: ...

    def logits(self, a: Singles, b: Singles) -> Singles: ...

    def attention(self, a: Image, b: Image) -> tuple[Singles, Singles]: ...


@dataclass(frozen=True)
class Judged:
    """The logits of a judge on pairs of one side's images."""

    judge: PairJudge
    vectors: Singles

    def __call__(self, pairs: PairSet) -> Doubles:
        found = np.empty(len(pairs), dtype=np.float64)
        for start in range(0, len(pairs), _BLOCK):
            rows = slice(start, start + _BLOCK)
            found[rows] = self.judge.logits(self.vectors[pairs.left[rows]], self.vectors[pairs.right[rows]])
        return found

    def nearest(self, studies: Codes, most: int) -> tuple[NDArray[np.float32], Codes]:
        """For every image those of other studies that most probably show the same person, and their logits."""
        count, most = len(self.vectors), min(most, len(self.vectors))
        scores = np.empty((count, most), dtype=np.float32)
        found = np.empty((count, most), dtype=np.intp)
        for row, vector in enumerate(self.vectors):
            alike = self.judge.logits(self.vectors, vector[None])
            alike[studies == studies[row]] = -np.inf
            best = np.argpartition(-alike, most - 1)[:most]
            best = best[np.lexsort((best, -alike[best]))]
            scores[row], found[row] = alike[best], best
        return scores, found


def _as_similarity(probabilities: Doubles) -> Doubles:
    """In -1..1, where similarities lie."""
    return 2 * probabilities - 1


def probability(logits: NDArray[Any]) -> Doubles:
    return 1 / (1 + np.exp(-np.clip(logits, -60, 60)))


class Verification:
    """Everything measured of a verification network on a gallery whose patients are known."""

    def __init__(
        self,
        gallery: Gallery,
        judge: PairJudge,
        *,
        rate: float,
        seed: int,
        pair_redraws: int = 0,
        findings: pd.DataFrame | None = None,
    ) -> None:
        self._gallery, self._rate, self._seed, self._pair_redraws = gallery, rate, seed, pair_redraws
        self._findings = told_findings(gallery.table) if findings is None else findings
        self.judged = Judged(judge, gallery.ours.vectors)
        genuine, strangers = pairs_of(gallery, seed=seed)
        self._strangers = strangers
        self.prior = len(genuine) / (len(genuine) + count_strangers(gallery))
        self.weights = unit_weights(gallery.patients, seed=seed)
        dealt = Dealt.of(gallery.patients, halves=False, seed=seed)
        self._contest = Contest(
            gallery.ours, None, genuine, strangers, returning=gallery.returning, dealt=dealt, score=self.judged
        )
        self.pairs = JudgedPairs.of(
            gallery.ours, genuine, strangers, lambda pairs: probability(self.judged(pairs)), seed=seed, balanced=True
        )

    def links(self, checked: CheckedCalibration | None, prior: float) -> pd.DataFrame:
        """The best links of every image, by the network's own probability brought to the prior."""
        scores, found = self.judged.nearest(self._gallery.ours.studies, PER_IMAGE)
        alike = np.where(np.isfinite(scores), _as_similarity(probability(scores)), -np.inf)
        calibration = checked.calibration if checked else None
        return ranked_links(self._gallery.ours, None, calibration, prior, known=True, best=(alike, found))

    @cached_property
    def _strict(self) -> float:
        """What one in a hundred pairs of two persons score above, of more of them than are judged."""
        scores = np.sort(probability(self.judged(at_most(self._strangers, self._seed))))
        return float(scores[len(scores) - 1 - int(SLICE_RATE * len(scores))])

    @property
    def sample(self) -> Sample:
        """To calibrate by."""
        pairs = self.pairs
        return Sample(_as_similarity(pairs.scores), pairs.same, pairs.control_scores, *pairs.patients)

    def finding(
        self, checked: CheckedCalibration | None, pictures: tuple[Picture, ...], tables: list[Table]
    ) -> Finding:
        gallery, weights, pairs = self._gallery, self.weights, self.pairs
        linkable = self._contest.at(self._contest.resolved(self._rate), weights)
        decided = {"0.5": decision_estimates(pairs.scored, THRESHOLD, pairs.redraws(weights))}
        decided |= held_out(pairs, weights, self._seed)
        estimates = {
            HEADLINE: linkable.estimate(weights),
            **_curve(pairs, weights),
            **{f"{measure} at {where}": found for where, told in decided.items() for measure, found in told.items()},
            **_by_pair(pairs, self._pair_redraws, self._seed),
            BY_COPIES: linked_by_copies(gallery, weights),
        }
        slices = self._slices()
        figures = [roc(pairs), *_slice_figure(slices)]
        figures += by_group(linkable, patient_groups(gallery.table, gallery.ours.patients, linkable.patients), weights)
        if checked and checked.figure:
            figures.append(checked.figure)
        return Finding(
            part=NAME,
            kind="attack",
            question="Can a patient's X-rays be linked to each other across visits by what they show?",
            answer=_answer(estimates, linkable, pairs),
            headline=HEADLINE,
            estimates=estimates,
            threshold=ONE_IN_ELEVEN,
            method=_method(linkable, pairs, checked),
            limits=_limits(self._rate, linkable, gallery),
            figures=tuple(figures),
            tables=(
                confusion_table(pairs.scored),
                decision_table(decided),
                *_slice_table(slices),
                *tables,
                *set_aside_table(gallery.set_aside, gallery.copies),
            ),
            pictures=pictures,
            glossary=_GLOSSARY,
            power=identity_power(estimates[HEADLINE], adapted=False),
        )

    def _slices(self) -> dict[str, dict[str, dict[str, Estimate]]]:
        """By threshold, question and answer: the share of pairs of one person that are called a match."""
        genuine = self.pairs.where(self.pairs.same)
        owners = genuine.patients[0]
        slices = published_slices(self._gallery.table, PairSet(genuine.left, genuine.right), self._findings)
        called = {"0.5": genuine.scores >= THRESHOLD, f"{SLICE_RATE:g} false matches": genuine.scores > self._strict}

        def by(matches: NDArray[np.bool_]) -> dict[str, dict[str, Estimate]]:
            hits = matches.astype(np.float64)
            return by_slice(slices, owners, lambda members: share(hits[members], owners[members], self.weights))

        return {name: by(matches) for name, matches in called.items()}


def told_findings(table: pd.DataFrame) -> pd.DataFrame:
    """The cohort's labels that are findings; 'No Finding' is none."""
    return table[[label for label in LABELS if label != "No Finding"]]


def measures(pairs: JudgedPairs, redraws: PairRedraws) -> dict[str, Estimate]:
    """The paper's measures, at its threshold."""
    auc = curve_estimates(pairs.scored, redraws, rates=())["AUC"]
    return {"AUC": auc, **decision_estimates(pairs.scored, THRESHOLD, redraws)}


def verify_side(
    judge: PairJudge, side: Side, people: int, *, seed: int, pair_redraws: int = 0
) -> tuple[JudgedPairs, dict[str, Estimate]] | None:
    """Balanced pairs of some images and the paper's measures on them; none where fewer than eleven patients came twice.

    Patients are redrawn, or with `pair_redraws` pairs, so often, as in the paper.
    """
    genuine = same_person(side, None)
    if len(np.unique(side.patients[genuine.left])) < SMALLEST_GROUP:
        return None
    judged = Judged(judge, side.vectors)
    strangers = two_persons(side, None, seed=seed)
    pairs = JudgedPairs.of(side, genuine, strangers, lambda which: probability(judged(which)), seed=seed, balanced=True)
    if pair_redraws:
        return pairs, measures(pairs, PairRedraws.by_pair(pairs.scored, redraws=pair_redraws, seed=seed))
    return pairs, measures(pairs, pairs.redraws(unit_weights(people, seed=seed)))


def measures_table(title: str, first: tuple[str, ...], rows: Mapping[tuple[str, ...], dict[str, Estimate]]) -> Table:
    """A row of the paper's tables 1, 2 and 5 for every name: the measures with their ends, in its order."""
    told: list[Row] = []
    for name, found in rows.items():
        told.append((*name, *(cell(found.get(measure)) for measure in MEASURES), found["AUC"].n if found else 0))
    return Table(title, (*first, *MEASURES, "pairs"), tuple(told))


def cell(found: Estimate | None) -> str:
    """A value and its ends; a dash where too few patients came twice to tell."""
    return "–" if found is None else f"{found.value:.4f} ({found.low:.4f} to {found.high:.4f})"


def confusion_table(pairs: ScoredPairs) -> Table:
    """How many pairs of each kind are called what, as in the paper's figure 3."""
    found = pairs.decisions(THRESHOLD)
    one, two = found.true_match + found.false_other, found.false_match + found.true_other
    rows = (
        ("one person", int(found.true_match), int(found.false_other), found.true_match / one if one else None),
        ("two persons", int(found.false_match), int(found.true_other), found.false_match / two if two else None),
    )
    return Table("Confusion matrix at 0.5", ("pairs of", "called one", "called two", "share called one"), rows)


def _curve(pairs: JudgedPairs, weights: Doubles) -> dict[str, Estimate]:
    told = curve_estimates(pairs.scored, pairs.redraws(weights), control=pairs.control)
    return {("pair AUC" if name == "AUC" else name): estimate for name, estimate in told.items()}


def _by_pair(pairs: JudgedPairs, redraws: int, seed: int) -> dict[str, Estimate]:
    """The same with pairs redrawn as if each were of people of its own: the paper's intervals, which are too narrow."""
    if not redraws:
        return {}
    found = measures(pairs, PairRedraws.by_pair(pairs.scored, redraws=redraws, seed=seed))
    auc = {"pair AUC, redrawn by pair": found.pop("AUC")}
    return auc | {f"{measure} at 0.5, redrawn by pair": each for measure, each in found.items()}


def _slice_figure(slices: dict[str, dict[str, dict[str, Estimate]]]) -> list[Figure]:
    told = {
        where: {f"{question}: {answer}": e for question, answers in found.items() for answer, e in answers.items()}
        for where, found in slices.items()
    }
    names = tuple(told["0.5"])
    if not names:
        return []
    return [
        Figure(
            title="Pairs recognised by what changed",
            kind="interval",
            x_title="slice",
            y_title="share of pairs of one person called a match",
            series=tuple(series_of(f"at {where}", names, list(found.values())) for where, found in told.items()),
            note=f"Slices of fewer than {SMALLEST_GROUP} patients are left out.",
        )
    ]


def _slice_table(slices: dict[str, dict[str, dict[str, Estimate]]]) -> list[Table]:
    half, strict = slices.values()
    rows = tuple(
        (question, answer, round(e.value * e.n), e.n, cell(e), cell(strict[question][answer]), e.units)
        for question, answers in half.items()
        for answer, e in answers.items()
    )
    columns = (
        *("slice", "value", "recognised at 0.5", "pairs", "share at 0.5", f"share at {SLICE_RATE:g} false matches"),
        "patients",
    )
    return [Table("Pairs recognised by what changed", columns, rows)] if rows else []


def _answer(estimates: dict[str, Estimate], found: Linkable, pairs: JudgedPairs) -> str:
    linked, copied, accuracy = (estimates[name] for name in (HEADLINE, BY_COPIES, "accuracy at 0.5"))
    how = "by what their X-rays show"
    if copied.value > 0:
        how = f"{percent(copied.value)} because one picture appears in two of their studies, the others {how}"
    return (
        f"{percent(linked.value)} of {linked.units:,} patients who came more than once can be linked, {how}. The limit "
        f"for this let {percent(found.false.measured)} of {found.false.tried:,} pairs of strangers pass "
        f"({one_in(found.false.aimed)} was aimed at). Chance alone links {percent(linked.chance)}. Of {accuracy.n:,} "
        f"pairs, as many of one person as of two where there are enough, the network tells {percent(accuracy.value)} "
        f"right at a probability of 0.5 (AUC {estimates['pair AUC'].value:.3f})."
    )


def _method(found: Linkable, pairs: JudgedPairs, checked: CheckedCalibration | None) -> str:
    stated = f" Probabilities of links are {checked.source}." if checked else ""
    return (
        "A verification network looks at each of two frontal X-rays once and says how probable it is that they show "
        f"one person. {int(pairs.same.sum()):,} pairs of one person, from two studies, and "
        f"{int((~pairs.same).sum()):,} of two are judged at a probability of 0.5, as published, and at limits that one "
        "half of the patients sets and the other half tests. A patient counts as linkable if one picture appears in "
        "two of their studies, or if two of "
        f"their images from two studies score above the limit that {one_in(found.false.aimed)} pairs of two persons "
        f"pass, which is learned on some patients and applied to others.{stated}"
    )


def _limits(rate: float, found: Linkable, gallery: Gallery) -> tuple[str, ...]:
    limits = [
        "A stronger network, larger images or knowledge of other visits would find more.",
        "The share holds for patients with frontal images from two studies; who came once cannot be linked here.",
        "Accuracy, precision and F1 hold for as many pairs of one person as of two; among strangers most pairs are of "
        "two.",
    ]
    if found.false.aimed > rate:
        limits.append(
            f"The patients are too few to tell a limit that {one_in(rate)} pairs of strangers pass, so "
            f"{one_in(found.false.aimed)} may; a stricter limit would link fewer."
        )
    aside = sum(gallery.set_aside.values())
    if aside:
        limits.append(f"Images set aside and not attacked: {aside:,}; the table says why.")
    return tuple(limits)


_GLOSSARY = {
    **GLOSSARY,
    "specificity": "Of the pairs of two persons, the share called two persons.",
    "recall": "Of the pairs of one person, the share called one person.",
    "precision": "Of the pairs called one person, the share that are.",
    "F1": "The harmonic mean of precision and recall.",
}
