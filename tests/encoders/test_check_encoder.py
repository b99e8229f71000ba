from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from medveil.cohort import Cohort
from medveil.testing import check_encoder


def test_a_sound_encoder_passes(stand_in: Any, hospital: Cohort) -> None:
    check_encoder(stand_in, hospital)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda v, count: 2 * v, "unit length"),
        (lambda v, count: v.astype(np.float64), "32 bits"),
        (lambda v, count: v[:, :3], "one vector of the encoder's dimension"),
        (lambda v, count: np.roll(v, count, axis=1), "the same image gives the same vector"),
        (lambda v, count: np.roll(v, len(v) == 1, axis=1), "alone and among others"),
    ],
)
def test_one_that_breaks_the_contract_does_not(stand_in: Any, hospital: Cohort, change: Any, told: str) -> None:
    sound = stand_in.encode_images
    calls = iter(range(1000))
    stand_in.encode_images = lambda images: change(sound(images), next(calls))
    with pytest.raises(AssertionError, match=told):
        check_encoder(stand_in, hospital)


def test_prepared_images_must_give_the_same(stand_in: Any, hospital: Cohort) -> None:
    stand_in.prepare = np.flipud
    stand_in.encode_prepared = stand_in.encode_images
    with pytest.raises(AssertionError, match="prepared images give the same vectors"):
        check_encoder(stand_in, hospital)


def test_a_fingerprint_is_asked_for(stand_in: Any, hospital: Cohort) -> None:
    stand_in.fingerprint = ""
    with pytest.raises(AssertionError, match="hash of its weights"):
        check_encoder(stand_in, hospital)
