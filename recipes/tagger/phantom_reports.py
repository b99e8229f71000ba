"""Reports of phantom hospitals, without their images."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from medveil.cohort.phantom import chart
from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.reports import STYLES
from medveil.cohort.phantom.reports.interpretation import interpret
from medveil.cohort.phantom.reports.mentions import Mentions
from medveil.cohort.phantom.sites import make_site

HELD_OUT_STYLE = "letter"  # the tagger was not trained on
_PATIENTS = 10  # of a hospital


def phantom_reports(first: int, end: int, styles: tuple[str, ...]) -> Iterator[dict[str, object]]:
    """Reports of phantom hospitals in the given styles, with their answer key."""
    for seed in range(first, end):
        for number in range(_PATIENTS):
            patient = plan_patient(seed, number, 10)
            site = make_site(seed, patient.site)
            person = chart.make_demographics(seed, patient, site)
            visit = patient.visits[-1]
            for place, style in enumerate(styles):
                rng = np.random.default_rng([patient.person_key, 80, visit.number, place])
                reading = interpret(rng, patient, visit)
                earlier = chart.make_encounter(seed, patient, reading.before, site) if reading.before else None
                encounter = chart.make_encounter(seed, patient, visit, site)
                text = STYLES[style](Mentions(rng, visit, reading.before, person, encounter, earlier, site), reading)
                found = [[one.start, one.end, str(one.category)] for one in text.identifiers()]
                yield {"text": text.text, "found": found}
