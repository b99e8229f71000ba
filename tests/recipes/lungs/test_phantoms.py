from __future__ import annotations

import numpy as np
import pytest

from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from recipes.lungs.phantoms import lung_fields, phantom


@pytest.mark.parametrize("number", range(4))
def test_the_outline_holds_the_lungs_and_what_lies_before_them(number: int) -> None:
    patient = plan_patient(3, number, 3)
    drawing = draw(patient, patient.visits[0], sites_seed=3, size=256)
    fields = lung_fields(patient, patient.visits[0], 256)
    assert fields[drawing.lungs].mean() > 0.95
    assert fields[drawing.heart].mean() > 0.3  # both sides of the spine
    assert (fields & ~drawing.lungs & ~drawing.heart).mean() < 0.06


def test_films_and_lungs_are_of_one_size_and_the_same_every_time() -> None:
    film, lungs = phantom(3)
    again, _ = phantom(3)
    assert film.shape == lungs.shape == (256, 256) and film.dtype == np.uint8
    assert (film == again).all()
    assert 0.1 < lungs.mean() < 0.6
