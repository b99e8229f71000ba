"""Phantom radiographs of all visits with the outlines of lungs and heart, drawn as a person would draw them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from medveil.cohort.phantom.plan import PatientPlan, VisitPlan, plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.cohort.phantom.radiograph.brush import fill
from medveil.cohort.phantom.radiograph.chest import Chest
from medveil.cohort.phantom.radiograph.pose import Pose
from medveil.encoders.identity.preparing import SIDE, prepare
from recipes.lungs.phantoms import SITES, lung_fields

SEED = 88_100
Organs = NDArray[np.bool_]


def organs(patient: PatientPlan, visit: VisitPlan, size: int = SIDE) -> Organs:
    """Lungs and heart (2 × size × size): the lungs also behind the heart, the heart down to the diaphragm."""
    chest, pose = Chest.of(patient, visit), Pose.of(visit, size)
    heart = np.zeros((size, size), np.uint8)
    fill(heart, pose.project(chest.heart()), 255)
    fill(heart, pose.project(chest.belly()), 0)
    return np.stack([lung_fields(patient, visit, size), heart > 127])


def visits(number: int, seed: int = SEED) -> list[tuple[NDArray[np.uint8], Organs]]:
    """The prepared films of a patient's visits and their organs."""
    patient = plan_patient(seed, number, SITES)
    return [
        (prepare(draw(patient, visit, sites_seed=seed, size=SIDE).pixels), organs(patient, visit))
        for visit in patient.visits
    ]
