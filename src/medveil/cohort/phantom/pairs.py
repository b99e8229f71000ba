"""Phantom radiographs with their reports, in memory: pairs that are nobody's, wherever some are needed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from medveil.cohort.phantom.people import make_person
from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.cohort.phantom.reports import write_report
from medveil.cohort.phantom.sites import MOST, make_site
from medveil.runtime.workers import ordered_map

Pair = tuple[NDArray[np.uint16], str]


def phantom_pairs(count: int, *, seed: int, size: int = 256, workers: int | None = None) -> Iterator[Pair]:
    """The first visit of `count` patients from all sites; the same seed gives the same pairs."""
    return ordered_map(partial(_pair, seed, size), range(count), workers=workers)


def _pair(seed: int, size: int, number: int) -> Pair:
    patient = plan_patient(seed, number, MOST)
    site, visit = make_site(seed, patient.site), patient.visits[0]
    report, _ = write_report(seed, patient, visit, make_person(seed, patient, site), site)
    return draw(patient, visit, sites_seed=seed, size=size).pixels, report.text
