"""The identity attack in the words and numbers of the report."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medveil.attacks.identity.calibration_check import CheckedCalibration
from medveil.attacks.identity.evaluation import evaluate
from medveil.attacks.identity.exclusions import set_aside_table
from medveil.attacks.identity.gallery import Gallery, pairs_of
from medveil.attacks.identity.identification import Found, Sample, compared, pair_auc
from medveil.attacks.identity.linkable import Contest, Linkable
from medveil.attacks.identity.subgroups import by_group, patient_groups
from medveil.errors import NotMeasurable
from medveil.finding import ONE_IN_ELEVEN, Figure, Finding, Picture, percent
from medveil.stats.bootstrap import unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.shares import share

NAME = "identity"
HEADLINE = "linkable patients"
BY_COPIES = "patients linked by copies"
PROBABLY_LINKED = "patients with a probable link"  # of two cohorts that nobody has matched
PROBABLE = 0.5
RATES = (0.1, 0.01, 1e-3, 1e-4)
PUBLISHED = ("mAP@R", "R-precision")
SHOWN = ("True and false matches", "True matches by what changed")

Floats = NDArray[np.float64]


class Measurement:
    """Everything measured on a gallery whose patients are known."""

    def __init__(self, gallery: Gallery, *, rate: float, seed: int) -> None:
        genuine, strangers = pairs_of(gallery, seed=seed)
        self._scene, self._rate, self._seed = gallery, rate, seed
        self.weights = unit_weights(gallery.patients, seed=seed)
        self._contest = Contest(gallery.ours, gallery.theirs, genuine, strangers, count=gallery.patients, seed=seed)
        self._linkable: Linkable = self._contest.at(rate)
        self._found = Found.of(gallery.ours, gallery.theirs)
        self.sample = Sample.draw(gallery.ours, gallery.theirs, genuine, strangers, seed=seed)
        self.prior = len(genuine) / (len(genuine) + _count_strangers(gallery))

    def finding(self, checked: CheckedCalibration | None, pictures: tuple[Picture, ...]) -> Finding:
        gallery, weights = self._scene, self.weights
        estimates = {
            HEADLINE: self._linkable.estimate(weights),
            "precision@1": self._found.within(0, weights),
            "pair AUC": pair_auc(self.sample, weights),
            BY_COPIES: _linked_by_copies(gallery, weights),
        }
        figures = [self._by_rate(), self._found.figure(weights)]
        groups = patient_groups(gallery.table, gallery.ours.patients, self._linkable.patients)
        figures += by_group(self._linkable, groups, weights)
        if checked and checked.error and checked.figure:
            estimates["calibration error"] = checked.error
            figures.append(checked.figure)
        if gallery.theirs is None and len(self._linkable.patients) > 1:
            more = evaluate(gallery.ours.vectors, gallery.table, seed=self._seed)
            estimates |= {name: more.estimates[name] for name in PUBLISHED}
            figures += [figure for figure in more.figures if figure.title in SHOWN and figure.series]
        return Finding(
            part=NAME,
            kind="attack",
            question=_question(gallery),
            answer=_answer(estimates, self._rate, gallery),
            headline=HEADLINE,
            estimates=estimates,
            threshold=ONE_IN_ELEVEN,
            method=_method(self._rate, self._linkable, checked),
            limits=_limits(self._rate, self._linkable, gallery),
            figures=tuple(figures),
            tables=tuple(set_aside_table(gallery.set_aside, gallery.copies)),
            pictures=pictures,
            glossary=GLOSSARY,
        )

    def _by_rate(self) -> Figure:
        rates = sorted({*RATES, self._rate}, reverse=True)
        found = [self._contest.at(rate).estimate(self.weights) for rate in rates]
        return Figure(
            title="Linkable patients by false-match rate",
            kind="interval",
            x_title="false matches allowed",
            y_title="share of patients",
            series=compared(tuple(map(_one_in, rates)), found, "linkable"),
        )


def _count_strangers(gallery: Gallery) -> int:
    """All pairs of two persons, counted without listing them."""
    size = gallery.patients
    ours, other = (np.bincount(side.patients, minlength=size) for side in (gallery.ours, gallery.other))
    pairs = int(ours.sum()) * int(other.sum()) - int((ours * other).sum())
    return pairs if gallery.theirs is not None else pairs // 2


def _linked_by_copies(gallery: Gallery, weights: Floats) -> Estimate:
    return share(np.isin(gallery.repeated, gallery.copy_links).astype(float), gallery.repeated, weights)


def _one_in(rate: float) -> str:
    return f"1 in {1 / rate:,.0f}"


def _question(gallery: Gallery) -> str:
    if gallery.theirs is None:
        return "Can a patient's X-rays be linked to each other across visits by what they show?"
    return "Can a patient's X-rays in the one data set be linked to their X-rays in the other?"


def _answer(estimates: dict[str, Estimate], rate: float, gallery: Gallery) -> str:
    found, first = estimates[HEADLINE], estimates["precision@1"]
    copies = gallery.copies.exact + gallery.copies.near
    apart = f" Copies of other images, left out of this: {copies:,}." if copies else ""
    return (
        f"With {_one_in(rate)} pairs of strangers falsely matched, {percent(found.value)} of {found.units:,} patients "
        f"can be linked; chance alone links {percent(found.chance)}, age, sex, view and site {percent(found.control)}. "
        f"The most similar image shows the right patient in {percent(first.value)} of {first.n:,} tries "
        f"(chance {percent(first.chance)}).{apart}"
    )


def _method(rate: float, found: Linkable, checked: CheckedCalibration | None) -> str:
    stated = f" Probabilities of links are {checked.source}." if checked else ""
    return (
        "A network trained to recognise people turns every frontal X-ray into a vector; vectors are compared by "
        "cosine similarity, never within a study. Copies are found first, and one image of each picture is kept. A "
        "patient counts as linkable if two of their images from two studies are more alike than the limit that "
        f"{_one_in(rate)} pairs of two persons pass; the limit is learned on one half of the patients and applied to "
        f"the other, where {percent(found.observed_rate)} of such pairs passed it.{stated}"
    )


def _limits(rate: float, found: Linkable, gallery: Gallery) -> tuple[str, ...]:
    limits = [
        "A stronger network, larger images or knowledge of other visits would find more.",
        "The share holds for patients with frontal images from two studies; who came once cannot be linked here.",
    ]
    if gallery.theirs is None:
        limits.append("Links to images outside this folder were not tried.")
    if rate * found.strangers < 1:
        limits.append(
            f"A limit was learned on as few as {found.strangers:,} pairs of two persons, too few to tell "
            f"{_one_in(rate)}; it lies at about the most similar of them."
        )
    aside = sum(gallery.set_aside.values())
    if aside:
        limits.append(f"Images set aside and not attacked: {aside:,}; the table says why.")
    return tuple(limits)


def overlap_finding(gallery: Gallery, links: pd.DataFrame, checked: CheckedCalibration, *, seed: int) -> Finding:
    """Of two cohorts nobody has matched: the share of patients of the first with a probable link into the second."""
    if links.empty:
        raise NotMeasurable("every image of the second data set is a copy of one in the first")
    best = pd.Series(links["probability"].to_numpy()).groupby(gallery.ours.patients[links["left"]]).max()
    weights = unit_weights(gallery.patients, seed=seed)
    found = share((best >= PROBABLE).to_numpy(float), best.index.to_numpy(np.intp), weights)
    return Finding(
        part=NAME,
        kind="attack",
        question="Do patients of the one data set probably appear in the other?",
        answer=(
            f"{percent(found.value)} of {found.units:,} patients have a link into the other data set that is likelier "
            "true than not; whether these links are true is not known."
        ),
        headline=PROBABLY_LINKED,
        estimates={PROBABLY_LINKED: found},
        threshold=ONE_IN_ELEVEN,
        method=(
            "A network trained to recognise people turns every frontal X-ray into a vector; every image of the first "
            "data set is compared with every image of the second. Copies are found first and left out. Similarities "
            f"become probabilities by a calibration {checked.source}, with the stated prior."
        ),
        limits=(
            "It is not known which patients are in both, so links cannot be checked, and there is no control.",
            "The calibration may not carry over to images of another hospital.",
            "The probabilities rest on the prior: with a smaller one, fewer links are probable.",
        ),
        tables=tuple(set_aside_table(gallery.set_aside, gallery.copies)),
        glossary={PROBABLY_LINKED: "Patients whose best link is likelier true than not.", **GLOSSARY},
    )


GLOSSARY = {
    HEADLINE: "Patients two of whose X-rays, from different visits, are recognised as one person's at the stated "
    "false-match rate.",
    "false-match rate": "The share of pairs of two different persons that are wrongly called the same.",
    "precision@1": "The share of tries in which the most similar image belongs to the same patient.",
    "R-precision": "Of the R images most similar to a query that has R true matches, the share that are true.",
    "mAP@R": "Like R-precision, but true matches count more the earlier they come.",
    "pair AUC": "The chance that two images of one patient look more alike than two images of two patients; "
    "0.5 is a coin toss.",
    BY_COPIES: "Patients with one and the same picture in two of their studies: linked without recognising anything.",
    "calibration error": "How far the stated probability of a link lies from the share of such links that are true, "
    "on average.",
}
