"""Radiology reports of the phantom hospital, in several house styles, with every identifier's span known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from medveil.cohort.phantom.chart import Demographics, make_encounter
from medveil.cohort.phantom.marked_text import MarkedText
from medveil.cohort.phantom.plan import PatientPlan, VisitPlan
from medveil.cohort.phantom.reports import letter, prose, structured, telegram
from medveil.cohort.phantom.reports.interpretation import Interpretation, interpret
from medveil.cohort.phantom.reports.mentions import Mentions
from medveil.cohort.phantom.sites import Site

STYLES: dict[str, Callable[[Mentions, Interpretation], MarkedText]] = {
    "structured": structured.write,
    "prose": prose.write,
    "telegram": telegram.write,
    "letter": letter.write,
}


def write_report(
    seed: int, patient: PatientPlan, visit: VisitPlan, person: Demographics, site: Site
) -> tuple[MarkedText, dict[str, int]]:
    """The report of a visit in its site's style, and the labels that follow from its words."""
    rng = np.random.default_rng([patient.person_key, 3, visit.number])
    reading = interpret(rng, patient, visit)
    earlier = make_encounter(seed, patient, reading.before, site) if reading.before else None
    encounter = make_encounter(seed, patient, visit, site)
    mentions = Mentions(rng, visit, reading.before, person, encounter, earlier, site)
    return STYLES[site.habits.style](mentions, reading), reading.labels
