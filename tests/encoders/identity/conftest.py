from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.encoders.identity.preparing import prepare
from medveil.encoders.identity.training.images import TrainingImages


@pytest.fixture(scope="session")
def phantoms() -> TrainingImages:
    """Twelve phantom patients with two visits each, four of them kept for validation."""
    pixels: list[NDArray[np.uint8]] = []
    patients: list[int] = []
    number = 0
    while len(set(patients)) < 12:
        plan = plan_patient(5, number, 2)
        number += 1
        if len(plan.visits) < 2:
            continue
        for visit in plan.visits[:2]:
            pixels.append(prepare(draw(plan, visit, sites_seed=5, size=256).pixels))
            patients.append(number)
    codes = np.unique(patients, return_inverse=True)[1].astype(np.int64)
    return TrainingImages(np.stack(pixels), codes, codes >= 8)
