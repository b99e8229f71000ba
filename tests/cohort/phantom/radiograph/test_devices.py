import dataclasses

import numpy as np
import pytest

from medveil.cohort.phantom.plan import DEVICES, DevicePlan, plan_patient
from medveil.cohort.phantom.radiograph.drawing import draw

PATIENT = plan_patient(7, 6, 3)


def drawn(*devices, size=512, **changes):
    straight = {"findings": (), "tilt": 0.0, "rotation": 0.0, "shift": (0.0, 0.0), "zoom": 1.0, **changes}
    return draw(PATIENT, dataclasses.replace(PATIENT.visits[0], devices=devices, **straight), sites_seed=7, size=size)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("kind", DEVICES)
def test_a_device_is_dense_and_lies_in_its_box(kind, side):
    bare, fitted = drawn(), drawn(DevicePlan(kind, side, 3))
    ((name, (left, top, right, bottom)),) = fitted.device_boxes
    assert name == kind
    change = fitted.pixels.astype(float) - bare.pixels
    total = np.abs(change).sum()
    within = np.abs(change[top:bottom, left:right]).sum()
    assert within > 0.75 * total
    assert change[top:bottom, left:right].max() > 400
    assert not np.array_equal(fitted.pixels, bare.pixels)


@pytest.mark.parametrize("kind", ["PICC", "pacemaker", "chest tube"])
def test_a_device_comes_from_its_side(kind):
    centres = {}
    for side in ("left", "right"):
        ((_, (left, _, right, _)),) = drawn(DevicePlan(kind, side, 3)).device_boxes
        centres[side] = (left + right) / 2
    assert centres["right"] < 256 < centres["left"]


def test_boxes_are_tight_around_the_dense_pixels():
    bare, fitted = drawn(), drawn(DevicePlan("sternal wires", "right", 3))
    ((_, (left, top, right, bottom)),) = fitted.device_boxes
    rows, columns = np.nonzero(fitted.pixels.astype(float) - bare.pixels > 250)
    assert abs(columns.min() - left) <= 3 and abs(columns.max() + 1 - right) <= 3
    assert abs(rows.min() - top) <= 3 and abs(rows.max() + 1 - bottom) <= 3


def test_all_devices_together_keep_their_own_boxes():
    alone = [drawn(DevicePlan(kind, "left", 4), size=256).device_boxes[0] for kind in DEVICES]
    together = drawn(*(DevicePlan(kind, "left", 4) for kind in DEVICES), size=256).device_boxes
    assert list(together) == alone


def test_a_device_outside_the_film_has_no_box():
    assert drawn(DevicePlan("sternal wires", "right", 3), size=256, shift=(0.9, 0.0)).device_boxes == ()
