"""Phantom radiographs with the outline of their lungs, drawn as a person would draw it.

A person outlines the whole lung field, also where heart and diaphragm's edge lie before it, and leaves out the spine
with the great vessels beside it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from medveil.cohort.phantom.plan import FindingPlan, PatientPlan, VisitPlan, plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.cohort.phantom.radiograph.anatomy import SIDES
from medveil.cohort.phantom.radiograph.brush import fill
from medveil.cohort.phantom.radiograph.chest import Chest
from medveil.cohort.phantom.radiograph.pose import Pose
from medveil.encoders.identity.preparing import SIDE, prepare

SEED, SITES = 61_400, 12
MEDIAL = 2.4  # cm from the middle of the spine to where the outline runs down
_DENSE = ("Consolidation", "Edema", "Pneumonia", "Pleural Effusion", "Atelectasis")


def phantom(number: int, seed: int = SEED) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """A prepared film of a patient's first visit and its lungs; every third has a dense finding more than planned."""
    patient = plan_patient(seed, number, SITES)
    visit = patient.visits[0]
    if number % 3 == 0:
        visit = _denser(visit, np.random.default_rng([seed, number, 5]))
    return prepare(draw(patient, visit, sites_seed=seed, size=SIDE).pixels), lung_fields(patient, visit, SIDE)


def lung_fields(patient: PatientPlan, visit: VisitPlan, size: int) -> NDArray[np.bool_]:
    chest, pose = Chest.of(patient, visit), Pose.of(visit, size)
    layer = np.zeros((size, size), np.uint8)
    for side in SIDES:
        outline = chest.lung(side)
        medial = MEDIAL + side * chest.spine(outline[:, 1])
        outline[:, 0] = side * np.maximum(side * outline[:, 0], medial)
        fill(layer, pose.project(outline), 255)
    return layer > 127


def _denser(visit: VisitPlan, rng: np.random.Generator) -> VisitPlan:
    label = _DENSE[int(rng.integers(len(_DENSE)))]
    side = ("left", "right", "bilateral")[int(rng.integers(3))]
    zone = ("upper", "mid", "lower")[int(rng.integers(3))]
    others = tuple(one for one in visit.findings if one.label != label)
    more = FindingPlan(label, side, zone, float(rng.uniform(0.3, 1)), "new", int(rng.integers(2**62)))  # type: ignore[arg-type]
    return replace(visit, findings=(*others, more))
