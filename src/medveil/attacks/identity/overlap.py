"""Two cohorts nobody has matched: how many patients of the first probably are in the second."""

from __future__ import annotations

import numpy as np
import pandas as pd

from medveil.attacks.identity.calibration_check import CheckedCalibration
from medveil.attacks.identity.exclusions import set_aside_table
from medveil.attacks.identity.findings import GLOSSARY, NAME
from medveil.attacks.identity.gallery import Gallery
from medveil.errors import NotMeasurable
from medveil.finding import ONE_IN_ELEVEN, Finding, percent
from medveil.stats.bootstrap import unit_weights
from medveil.stats.shares import share

HEADLINE = "patients with a probable link"
PROBABLE = 0.5


def overlap_finding(gallery: Gallery, links: pd.DataFrame, checked: CheckedCalibration, *, seed: int) -> Finding:
    """The share of patients of the first cohort with a link into the second that is likelier true than not."""
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
        headline=HEADLINE,
        estimates={HEADLINE: found},
        threshold=ONE_IN_ELEVEN,
        method=(
            "A network trained to recognise people turns every frontal X-ray into a vector; every image of the first "
            "data set is compared with every image of the second. Copies are found first and left out. Similarities "
            f"become probabilities by a calibration {checked.source}, with the stated prior."
        ),
        limits=(
            "Nobody has told which patients are in both, so links cannot be checked, and there is no control.",
            "The calibration may not carry over to images of another hospital.",
            "The probabilities rest on the prior: with a smaller one, fewer links are probable.",
        ),
        tables=tuple(set_aside_table(gallery.set_aside, gallery.copies)),
        glossary={HEADLINE: "Patients whose best link is likelier true than not.", **GLOSSARY},
    )
