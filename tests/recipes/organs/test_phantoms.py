from __future__ import annotations

import numpy as np

from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from recipes.lungs.phantoms import SITES, lung_fields
from recipes.organs.phantoms import SEED, organs, visits


def test_the_organs_are_those_of_the_drawing() -> None:
    patient = plan_patient(SEED, 3, SITES)
    for visit in patient.visits:
        lungs, heart = organs(patient, visit, 128)
        drawn = draw(patient, visit, sites_seed=SEED, size=128)
        assert (heart == drawn.heart).mean() > 0.999
        assert (lungs == lung_fields(patient, visit, 128)).all()
        assert (lungs & heart).any()  # lungs reach behind the heart


def test_every_visit_is_a_film() -> None:
    films = visits(3)
    assert len(films) == len(plan_patient(SEED, 3, SITES).visits)
    film, masks = films[0]
    assert film.dtype == np.uint8 and film.shape == masks.shape[1:]
