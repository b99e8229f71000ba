"""The identity attack in the words and numbers of the report."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.attacks.identity.adaptation import adapted
from medveil.attacks.identity.calibration_check import CheckedCalibration
from medveil.attacks.identity.evaluation import evaluate
from medveil.attacks.identity.exclusions import set_aside_table
from medveil.attacks.identity.gallery import Gallery, pairs_of
from medveil.attacks.identity.identification import Found, Sample, compared, pair_auc
from medveil.attacks.identity.linkable import Contest, Dealt, FalseMatches, Linkable
from medveil.attacks.identity.pairs import PairSet, Side
from medveil.attacks.identity.power import identity_power
from medveil.attacks.identity.subgroups import by_group, patient_groups
from medveil.attacks.identity.together import together
from medveil.finding import ONE_IN_ELEVEN, Figure, Finding, Picture, Power, Table, percent
from medveil.stats.bootstrap import unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.retrieval import blind_precisions_at_r, mean_by_patient, precisions_at_r
from medveil.stats.shares import share, strongest

NAME = "identity"
HEADLINE = "linkable patients"
BY_COPIES = "patients linked by copies"
PROBABLY_LINKED = "patients with a probable link"  # of two cohorts that nobody has matched
PROBABLE = 0.5
AS_IT_IS, ADAPTED = "the network as it is", "the network adapted to these patients"
TOGETHER = "the network with all films taken together"
RATES = (0.1, 0.01, 1e-3, 1e-4)
PUBLISHED = ("mAP@R", "R-precision")
SHOWN = ("True and false matches", "True matches by what changed")

Floats = NDArray[np.float64]


class Measurement:
    """Everything measured on a gallery whose patients are known."""

    def __init__(self, gallery: Gallery, *, rate: float, seed: int) -> None:
        self._pairs = genuine, strangers = pairs_of(gallery, seed=seed)
        self._gallery, self._rate, self._seed = gallery, rate, seed
        self.weights = unit_weights(gallery.patients, seed=seed)
        self._together = together(gallery.ours, gallery.theirs)
        self._contests = _contests(gallery, self._together, genuine, strangers, seed=seed)
        self._told = max(contest.resolved(rate) for contest in self._contests.values())
        self._linkable = {name: contest.at(self._told, self.weights) for name, contest in self._contests.items()}
        self._found = Found.of(gallery.ours, gallery.theirs)
        self.sample = Sample.draw(gallery.ours, gallery.theirs, genuine, strangers, seed=seed)
        self.prior = len(genuine) / (len(genuine) + count_strangers(gallery))

    def finding(self, checked: CheckedCalibration | None, pictures: tuple[Picture, ...]) -> Finding:
        gallery, weights = self._gallery, self.weights
        each = {name: found.estimate(weights) for name, found in self._linkable.items()}
        by, headline = strongest(each)
        linkable = self._linkable[by]
        estimates = {
            HEADLINE: headline,
            **{f"{HEADLINE}, by {name}": found for name, found in each.items()},
            "precision@1": self._found.within(0, weights),
            "pair AUC": pair_auc(self.sample, weights),
            BY_COPIES: linked_by_copies(gallery, weights),
            **self._recognised_together(),
        }
        figures = [self._by_rate(by), self._found.figure(weights)]
        groups = patient_groups(gallery.table, gallery.ours.patients, linkable.patients)
        figures += by_group(linkable, groups, weights)
        if checked and checked.figure:
            figures.append(checked.figure)
        if gallery.theirs is None and np.isfinite(linkable.best.score).sum() > 1:
            more = evaluate(gallery.ours.vectors, gallery.table, seed=self._seed)
            estimates |= {name: more.estimates[name] for name in PUBLISHED}
            figures += [figure for figure in more.figures if figure.title in SHOWN and figure.series]
        return Finding(
            part=NAME,
            kind="attack",
            question=_question(gallery),
            answer=_answer(estimates, linkable.false, gallery),
            headline=HEADLINE,
            estimates=estimates,
            threshold=ONE_IN_ELEVEN,
            method=_method(linkable.false, by, list(each), checked),
            limits=_limits(self._rate, linkable, gallery, adapted=ADAPTED in each),
            figures=tuple(figures),
            tables=(
                _attackers_table(self._linkable, each),
                *set_aside_table(gallery.set_aside, gallery.copies),
            ),
            pictures=pictures,
            glossary=GLOSSARY,
            power=identity_power(headline, adapted=ADAPTED in each),
        )

    def _recognised_together(self) -> dict[str, Estimate]:
        """What the films taken together recognise, by the measures that need no limit."""
        if self._together is None:
            return {}
        (ours, theirs), weights = self._together, self.weights
        sample = Sample.draw(ours, theirs, *self._pairs, seed=self._seed)
        found = {"precision@1": Found.of(ours, theirs).within(0, weights), "pair AUC": pair_auc(sample, weights)}
        if theirs is None:
            _, precisions = precisions_at_r(ours.vectors, ours.vectors, ours.patients, exclude=ours.studies)
            _, chance = blind_precisions_at_r(ours.patients, exclude=ours.studies)
            found["mAP@R"] = mean_by_patient(precisions, ours.patients, weights, chance=chance)
        return {f"{name}, by {TOGETHER}": estimate for name, estimate in found.items()}

    def _by_rate(self, by: str) -> Figure:
        contest = self._contests[by]
        rates = sorted({self._told, *(rate for rate in RATES if contest.resolved(rate) == rate)}, reverse=True)
        told = {one_in(rate): contest.at(rate, self.weights).estimate(self.weights) for rate in rates}
        return Figure(
            title="Linkable patients by false-match rate",
            kind="interval",
            x_title="false matches aimed at",
            y_title="share of patients",
            series=compared(tuple(told), list(told.values()), "linkable"),
            note="Rates that the patients are too few to tell are left out.",
        )


def _contests(
    gallery: Gallery,
    all_films: tuple[Side, Side | None] | None,
    genuine: PairSet,
    strangers: PairSet,
    *,
    seed: int,
) -> dict[str, Contest]:
    """The network as it is, with all films taken together and, where enough patients came back, adapted to them."""
    halves, whole = (Dealt.of(gallery.patients, halves=halves, seed=seed) for halves in (True, False))
    sides = {AS_IT_IS: (gallery.ours, gallery.theirs, whole)}
    if all_films is not None:
        sides[TOGETHER] = (*all_films, whole)
    taught = adapted(gallery.ours, gallery.theirs, halves.space, seed=seed)
    if taught is not None:
        sides[ADAPTED] = (*taught, halves)
    return {
        name: Contest(ours, theirs, genuine, strangers, returning=gallery.returning, dealt=dealt)
        for name, (ours, theirs, dealt) in sides.items()
    }


def count_strangers(gallery: Gallery) -> int:
    """All pairs of two persons, counted without listing them."""
    size = gallery.patients
    ours, other = (np.bincount(side.patients, minlength=size) for side in (gallery.ours, gallery.other))
    pairs = int(ours.sum()) * int(other.sum()) - int((ours * other).sum())
    return pairs if gallery.theirs is not None else pairs // 2


def linked_by_copies(gallery: Gallery, weights: Floats) -> Estimate:
    return share(gallery.returning.copied.astype(float), gallery.returning.patients, weights)


def copies_finding(gallery: Gallery, *, seed: int) -> Finding:
    """Where every returning patient is linked by a copy, and copies leave nobody to recognise."""
    found = linked_by_copies(gallery, unit_weights(gallery.patients, seed=seed))
    return Finding(
        part=NAME,
        kind="attack",
        question=_question(gallery),
        answer=(
            f"{percent(found.value)} of {found.units:,} patients who came more than once can be linked, because one "
            "picture appears in two of their studies; without the copies there is nobody left to recognise."
        ),
        headline=HEADLINE,
        estimates={HEADLINE: found, BY_COPIES: found},
        threshold=ONE_IN_ELEVEN,
        method="Copies, exact and near, are found first. They link studies without any recognising.",
        tables=tuple(set_aside_table(gallery.set_aside, gallery.copies)),
        glossary=GLOSSARY,
        power=Power("Copies are found by comparing pictures, which was not put to the test here.", "", enough=False),
    )


def _attackers_table(linkable: dict[str, Linkable], each: dict[str, Estimate]) -> Table:
    """Who links how many, and at what price in false matches."""
    rows = tuple(
        (
            name,
            percent(each[name].value),
            f"{percent(each[name].low)} to {percent(each[name].high)}",
            one_in(found.false.aimed),
            percent(found.false.measured),
            found.false.tried,
        )
        for name, found in linkable.items()
    )
    columns = (
        "attacker",
        "linkable",
        "95 % bounds",
        "false matches aimed at",
        "measured",
        "pairs of strangers tried",
    )
    return Table("Attackers on identity", columns, rows)


def one_in(rate: float) -> str:
    return f"1 in {1 / rate:,.0f}"


def _question(gallery: Gallery) -> str:
    if gallery.theirs is None:
        return "Can a patient's X-rays be linked to each other across visits by what they show?"
    return "Can a patient's X-rays in the one data set be linked to their X-rays in the other?"


def _answer(estimates: dict[str, Estimate], false: FalseMatches, gallery: Gallery) -> str:
    found, first, copied = estimates[HEADLINE], estimates["precision@1"], estimates[BY_COPIES]
    how = "by what their X-rays show"
    if copied.value > 0:
        how = f"{percent(copied.value)} because one picture appears in two of their studies, the others {how}"
    known = "" if found.control is None else f", age, sex, view and site {percent(found.control)}"
    return (
        f"{percent(found.value)} of {found.units:,} patients who came more than once can be linked, {how}. The limit "
        f"for this let {percent(false.measured)} of {false.tried:,} pairs of strangers pass ({one_in(false.aimed)} "
        f"was aimed at). Chance alone links {percent(found.chance)}{known}. The most similar image shows the right "
        f"patient in {percent(first.value)} of {first.n:,} tries (chance {percent(first.chance)}), copies left out."
    )


_WAYS = {
    TOGETHER: (
        " Another attacker takes all films together, without anybody's name: vectors are seen from their middle, "
        "directions in which all films differ count less, and every film is moved towards its two nearest."
    ),
    ADAPTED: (
        " Another adapts the network to these data: the returning patients of one half teach a linear map what differs "
        "between visits, and the other half is attacked with it."
    ),
}


def _method(false: FalseMatches, by: str, attackers: list[str], checked: CheckedCalibration | None) -> str:
    stated = f" Probabilities of links are {checked.source}." if checked else ""
    more = "".join(_WAYS[name] for name in attackers if name in _WAYS)
    learned = f"{more} The strongest counts: {by}." if more else ""
    return (
        "A network trained to recognise people turns every frontal X-ray into a vector; vectors are compared by "
        "cosine similarity, never within a study. A patient counts as linkable if one picture appears, as it is or "
        "saved anew, in two of their studies, or if two of their images from two studies are more alike than the limit "
        f"that {one_in(false.aimed)} pairs of two persons pass. The limit is learned on some patients and applied to "
        "others, where the pairs of strangers that pass it are counted; every redraw of patients learns its own, so "
        f"that the bounds hold the limit's uncertainty.{learned}{stated}"
    )


def _limits(rate: float, found: Linkable, gallery: Gallery, *, adapted: bool) -> tuple[str, ...]:
    limits = [
        "A stronger network, larger images or knowledge of other visits would find more.",
        "The share holds for patients with frontal images from two studies; who came once cannot be linked here.",
    ]
    if gallery.theirs is None:
        limits.append("Links to images outside this folder were not tried.")
    if found.false.aimed > rate:
        limits.append(
            f"The patients are too few to tell a limit that {one_in(rate)} pairs of strangers pass, so "
            f"{one_in(found.false.aimed)} may; a stricter limit would link fewer."
        )
    if not adapted:
        limits.append("Too few patients came more than once to adapt the network to these data.")
    lost = int((~np.isfinite(found.best.score) & ~found.returning.copied).sum())
    if lost:
        limits.append(
            f"Patients whose other pictures are copies of somebody else's, and who in doubt count as linkable: {lost}."
        )
    aside = sum(gallery.set_aside.values())
    if aside:
        limits.append(f"Images set aside and not attacked: {aside:,}; the table says why.")
    return tuple(limits)


def overlap_finding(gallery: Gallery, links: pd.DataFrame, checked: CheckedCalibration, *, seed: int) -> Finding:
    """Of two cohorts nobody has matched: the share of patients of the first with a probable link into the second."""
    people = np.unique(gallery.ours.patients)
    best = pd.Series(links["probability"].to_numpy()).groupby(gallery.ours.patients[links["left"]]).max()
    linked = (best.reindex(people).fillna(0.0) >= PROBABLE).to_numpy() | np.isin(people, gallery.shared)
    found = share(linked.astype(float), people, unit_weights(gallery.patients, seed=seed))
    return Finding(
        part=NAME,
        kind="attack",
        question="Do patients of the one data set probably appear in the other?",
        answer=(
            f"{percent(found.value)} of {found.units:,} patients have a picture that is in the other data set too, or "
            "a link into it that is likelier true than not; whether these links are true is not known."
        ),
        headline=PROBABLY_LINKED,
        estimates={PROBABLY_LINKED: found},
        threshold=ONE_IN_ELEVEN,
        method=(
            "A network trained to recognise people turns every frontal X-ray into a vector; every image of the first "
            "data set is compared with every image of the second; copies are found first and count as links. "
            f"Similarities become probabilities by a calibration {checked.source}, with the stated prior."
        ),
        limits=(
            "It is not known which patients are in both, so links cannot be checked, and there is no control.",
            "The calibration may not carry over to images of another hospital.",
            "The probabilities rest on the prior: with a smaller one, fewer links are probable.",
        ),
        tables=tuple(set_aside_table(gallery.set_aside, gallery.copies)),
        glossary={PROBABLY_LINKED: "Patients with a copy, or whose best link is likelier true than not.", **GLOSSARY},
        power=Power("Whether its links are true is not known, so it was not seen to work on these data.", "", False),
    )


GLOSSARY = {
    HEADLINE: "Of the patients who came more than once, those with one picture in two studies, or two of whose X-rays "
    "from different visits are recognised as one person's at the stated false-match rate.",
    "false-match rate": "The share of pairs of two different persons that are wrongly called the same.",
    "precision@1": "The share of tries in which the most similar image belongs to the same patient.",
    "R-precision": "Of the R images most similar to a query that has R true matches, the share that are true.",
    "mAP@R": "Like R-precision, but true matches count more the earlier they come.",
    "pair AUC": "The chance that two images of one patient look more alike than two images of two patients; "
    "0.5 is a coin toss.",
    BY_COPIES: "Patients with one and the same picture in two of their studies: linked without recognising anything.",
}
