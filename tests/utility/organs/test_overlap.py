from __future__ import annotations

import numpy as np
import pytest

from medveil.errors import NotMeasurable
from medveil.utility.organs.overlap import dice, other_patients, overlaps


def masks(rows: list[slice]) -> np.ndarray:
    """Films × organs, the heart half of the lungs."""
    found = np.zeros((len(rows), 2, 8, 8), bool)
    for film, part in zip(found, rows, strict=True):
        film[0, part], film[1, part, :4] = True, True
    return found


def test_dice_is_twice_the_shared_area_of_both() -> None:
    truth, found = masks([slice(0, 4)]), masks([slice(2, 6)])
    assert dice(found, truth).tolist() == [[0.5, 0.5]]
    assert dice(truth, truth).tolist() == [[1, 1]]
    assert dice(masks([slice(0, 0)]), truth).tolist() == [[0, 0]]


def test_what_the_original_does_not_show_is_left_out() -> None:
    truth = masks([slice(0, 4), slice(0, 4), slice(0, 4)])
    truth[0, 1] = False
    found = dice(truth, truth)
    assert np.isnan(found[0, 1])
    estimates = overlaps(found, found, np.array(["a", "b", "c"]), seed=0)
    assert (estimates["lungs Dice"].n, estimates["heart Dice"].n) == (3, 2)
    assert estimates["heart Dice"].value == 1
    with pytest.raises(NotMeasurable, match="no heart"):
        overlaps(np.array([[1.0, np.nan]]), np.ones((1, 2)), np.array(["a"]), seed=0)


def test_the_control_is_another_patient() -> None:
    who = np.array(["a", "a", "b", "b", "b"])
    parts = [slice(0, 4), slice(0, 4), slice(4, 8), slice(4, 8), slice(4, 8)]
    truth = masks(parts)
    control = dice(truth, other_patients(truth, who, seed=1))
    assert (control == 0).all()
    estimates = overlaps(dice(truth, truth), control, who, seed=1)
    assert estimates["lungs Dice"].value == 1 and estimates["lungs Dice"].chance == 0


def test_masks_of_other_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="shapes"):
        dice(masks([slice(0, 4)]), masks([slice(0, 4)])[..., :4])
