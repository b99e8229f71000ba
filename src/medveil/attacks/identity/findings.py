"""The identity attack in the words and numbers of the report."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from medveil.attacks.identity.evaluation import evaluate
from medveil.attacks.identity.linkable import Contest, Linkable
from medveil.attacks.identity.recognition import Found, Sample, compared, pair_auc
from medveil.attacks.identity.scene import Scene, pairs_of
from medveil.attacks.identity.set_aside import set_aside_table
from medveil.attacks.identity.subgroups import by_group, patient_groups
from medveil.attacks.identity.trust import Trust
from medveil.attacks.thresholds import ONE_IN_ELEVEN
from medveil.finding import Figure, Finding, Picture, percent
from medveil.stats.bootstrap import unit_weights
from medveil.stats.estimate import Estimate
from medveil.stats.shares import share

NAME = "identity"
HEADLINE = "linkable patients"
BY_COPIES = "patients linked by copies"
RATES = (0.1, 0.01, 1e-3, 1e-4)
PUBLISHED = ("mAP@R", "R-precision")
SHOWN = ("True and false matches", "True matches by what changed")

Floats = NDArray[np.float64]


class Measurement:
    """Everything measured on a scene whose patients are known."""

    def __init__(self, scene: Scene, *, rate: float, seed: int) -> None:
        genuine, strangers = pairs_of(scene, seed=seed)
        self._scene, self._rate, self._seed = scene, rate, seed
        self.weights = unit_weights(scene.patients, seed=seed)
        self._contest = Contest(scene.ours, scene.theirs, genuine, strangers, count=scene.patients, seed=seed)
        self._linkable: Linkable = self._contest.at(rate)
        self._found = Found.of(scene.ours, scene.theirs)
        self.sample = Sample.draw(scene.ours, scene.theirs, genuine, strangers, seed=seed)
        self.prior = len(genuine) / (len(genuine) + _count_strangers(scene))

    def finding(self, trust: Trust | None, pictures: tuple[Picture, ...]) -> Finding:
        scene, weights = self._scene, self.weights
        estimates = {
            HEADLINE: self._linkable.estimate(weights),
            "precision@1": self._found.within(0, weights),
            "pair AUC": pair_auc(self.sample, weights),
            BY_COPIES: _linked_by_copies(scene, weights),
        }
        figures = [self._by_rate(), self._found.figure(weights)]
        groups = patient_groups(scene.table, scene.ours.patients, self._linkable.patients)
        figures += by_group(self._linkable, groups, weights)
        if trust and trust.error and trust.figure:
            estimates["calibration error"] = trust.error
            figures.append(trust.figure)
        if scene.theirs is None and len(self._linkable.patients) > 1:
            more = evaluate(scene.ours.vectors, scene.table, seed=self._seed)
            estimates |= {name: more.estimates[name] for name in PUBLISHED}
            figures += [figure for figure in more.figures if figure.title in SHOWN and figure.series]
        return Finding(
            part=NAME,
            kind="attack",
            question=_question(scene),
            answer=_answer(estimates, self._rate, scene),
            headline=HEADLINE,
            estimates=estimates,
            threshold=ONE_IN_ELEVEN,
            method=_method(self._rate, self._linkable, trust),
            limits=_limits(self._rate, self._linkable, scene),
            figures=tuple(figures),
            tables=tuple(set_aside_table(scene.set_aside, scene.copies)),
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


def _count_strangers(scene: Scene) -> int:
    """All pairs of two persons, counted without listing them."""
    size = scene.patients
    ours, other = (np.bincount(side.patients, minlength=size) for side in (scene.ours, scene.other))
    pairs = int(ours.sum()) * int(other.sum()) - int((ours * other).sum())
    return pairs if scene.theirs is not None else pairs // 2


def _linked_by_copies(scene: Scene, weights: Floats) -> Estimate:
    return share(np.isin(scene.repeated, scene.copy_links).astype(float), scene.repeated, weights)


def _one_in(rate: float) -> str:
    return f"1 in {1 / rate:,.0f}"


def _question(scene: Scene) -> str:
    if scene.theirs is None:
        return "Can a patient's X-rays be linked to each other across visits by what they show?"
    return "Can a patient's X-rays in the one data set be linked to their X-rays in the other?"


def _answer(estimates: dict[str, Estimate], rate: float, scene: Scene) -> str:
    found, first = estimates[HEADLINE], estimates["precision@1"]
    copies = scene.copies.exact + scene.copies.near
    apart = f" Copies of other images, left out of this: {copies:,}." if copies else ""
    return (
        f"With {_one_in(rate)} pairs of strangers falsely matched, {percent(found.value)} of {found.units:,} patients "
        f"can be linked; chance alone links {percent(found.chance)}, age, sex, view and site {percent(found.control)}. "
        f"The most similar image shows the right patient in {percent(first.value)} of {first.n:,} tries "
        f"(chance {percent(first.chance)}).{apart}"
    )


def _method(rate: float, found: Linkable, trust: Trust | None) -> str:
    stated = f" Probabilities of links are {trust.source}." if trust else ""
    return (
        "A network trained to recognise people turns every frontal X-ray into a vector; vectors are compared by "
        "cosine similarity, never within a study. Copies are found first, and one image of each picture is kept. A "
        "patient counts as linkable if two of their images from two studies are more alike than the limit that "
        f"{_one_in(rate)} pairs of two persons pass; the limit is learned on one half of the patients and applied to "
        f"the other, where {percent(found.observed_rate)} of such pairs passed it.{stated}"
    )


def _limits(rate: float, found: Linkable, scene: Scene) -> tuple[str, ...]:
    limits = [
        "A stronger network, larger images or knowledge of other visits would find more.",
        "The share holds for patients with frontal images from two studies; who came once cannot be linked here.",
    ]
    if scene.theirs is None:
        limits.append("Links to images outside this folder were not tried.")
    if rate * found.strangers < 1:
        limits.append(
            f"A limit was learned on as few as {found.strangers:,} pairs of two persons, too few to tell "
            f"{_one_in(rate)}; it lies at about the most similar of them."
        )
    aside = sum(scene.set_aside.values())
    if aside:
        limits.append(f"Images set aside and not attacked: {aside:,}; the table says why.")
    return tuple(limits)


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
