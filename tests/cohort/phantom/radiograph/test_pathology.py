import dataclasses
from functools import cache

import numpy as np
import pytest

from medveil.cohort.phantom.plan import FindingPlan, plan_patient
from medveil.cohort.phantom.radiograph.drawing import draw

PATIENTS = [plan_patient(7, number, 3) for number in (0, 6, 9)]
MIDLINE = ("Cardiomegaly", "Enlarged Cardiomediastinum")
SIDED = (
    "Atelectasis",
    "Consolidation",
    "Fracture",
    "Lung Lesion",
    "Lung Opacity",
    "Pleural Effusion",
    "Pleural Other",
    "Pneumonia",
    "Pneumothorax",
)
ZONES = {"Pneumothorax": "upper", "Pleural Effusion": "lower", "Atelectasis": "lower"}


def drawn(patient, *findings, size=512):
    visit = dataclasses.replace(
        patient.visits[0], findings=findings, devices=(), tilt=0.0, rotation=0.0, shift=(0.0, 0.0), zoom=1.0
    )
    return draw(patient, visit, sites_seed=7, size=size)


@cache
def bare(patient):
    return drawn(patient)


def finding(label, side="bilateral", zone=None, extent=0.5, key=77):
    return FindingPlan(label, side, zone or ZONES.get(label, "mid"), extent, "new", key)


def change(patient, found):
    before, after = bare(patient), drawn(patient, found)
    return np.abs(after.pixels.astype(float) - before.pixels), after.finding_boxes


def inside(shape, boxes):
    mask = np.zeros(shape, bool)
    for _, (left, top, right, bottom) in boxes:
        mask[top:bottom, left:right] = True
    return mask


def test_every_finding_of_the_plan_can_be_drawn():
    labels = {f.label for n in range(400) for v in plan_patient(1, n, 1).visits for f in v.findings}
    assert labels == {*MIDLINE, *SIDED, "Edema"}


@pytest.mark.parametrize("patient", PATIENTS, ids=lambda p: str(p.number))
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("label", SIDED)
def test_a_sided_finding_changes_its_own_box_on_its_own_side(label, side, patient):
    changed, boxes = change(patient, finding(label, side))
    ((name, (left, _, right, _)),) = boxes
    assert name == label
    assert (left + right) / 2 > 256 if side == "left" else (left + right) / 2 < 256
    mask = inside(changed.shape, boxes)
    assert changed[mask].sum() > 0.6 * changed.sum(), "the change is not in the box"
    own = changed[:, 256:] if side == "left" else changed[:, :256]
    assert own.sum() > 0.95 * changed.sum()
    assert changed[mask].mean() > 30 and np.percentile(changed[mask], 95) > 150, "hardly to be seen"


@pytest.mark.parametrize("label", [*MIDLINE, "Edema"])
def test_a_finding_of_both_sides_changes_its_boxes(label):
    for patient in PATIENTS:
        changed, boxes = change(patient, finding(label))
        assert len(boxes) == (2 if label == "Edema" else 1)
        mask = inside(changed.shape, boxes)
        assert changed[mask].sum() > 0.85 * changed.sum() and changed[mask].mean() > 60


@pytest.mark.parametrize("zone, low, high", [("upper", 0, 260), ("mid", 120, 340), ("lower", 200, 460)])
@pytest.mark.parametrize("label", ["Consolidation", "Pneumonia", "Lung Lesion", "Lung Opacity", "Pleural Other"])
def test_a_finding_lies_in_its_zone(label, zone, low, high):
    ((_, (_, top, _, bottom)),) = drawn(PATIENTS[0], finding(label, "right", zone)).finding_boxes
    assert low < (top + bottom) / 2 < high


@pytest.mark.parametrize("label", ["Pleural Effusion", "Pneumothorax", "Cardiomegaly", "Lung Lesion"])
def test_a_larger_extent_is_a_larger_finding(label):
    side = "bilateral" if label in MIDLINE else "left"
    for patient in PATIENTS:
        totals, areas = [], []
        for extent in (0.05, 0.35, 0.65, 0.95):
            changed, ((_, (left, top, right, bottom)),) = change(patient, finding(label, side, extent=extent))
            totals.append(changed.sum())
            areas.append((right - left) * (bottom - top))
        assert (np.diff(totals) > 0).all() and areas[0] < areas[-1]


def test_cardiomegaly_is_a_heart_wider_than_half_the_chest():
    for patient in PATIENTS:
        drawing = drawn(patient, finding("Cardiomegaly", extent=0.5))
        heart, lungs = (np.ptp(np.flatnonzero(m.any(axis=0))) for m in (drawing.heart, drawing.lungs))
        assert heart / lungs > 0.5


def test_fluid_is_bright_and_free_air_is_dark():
    patient = PATIENTS[0]
    before = bare(patient).pixels.astype(float)
    for label, sign in (("Pleural Effusion", 1), ("Pneumothorax", -1)):
        drawing = drawn(patient, finding(label, "right", extent=0.6))
        mask = inside(before.shape, drawing.finding_boxes) & drawing.lungs
        if label == "Pneumothorax":
            mask[drawing.finding_boxes[0][1][1] + 50 :] = False  # at the apex all of the box is free air
        assert sign * (drawing.pixels[mask] - before[mask]).mean() > 100


def test_an_opacity_that_is_a_pneumonia_is_drawn_once_and_named_twice():
    patient = PATIENTS[0]
    pneumonia = finding("Pneumonia", "left", key=5)
    both = drawn(patient, pneumonia, dataclasses.replace(pneumonia, label="Lung Opacity"))
    alone = drawn(patient, pneumonia)
    assert np.array_equal(both.pixels, alone.pixels)
    boxes = dict(both.finding_boxes)
    assert boxes["Lung Opacity"] == boxes["Pneumonia"] == dict(alone.finding_boxes)["Pneumonia"]


def test_a_lasting_lesion_keeps_its_place_in_the_lung():
    patient = PATIENTS[0]
    centres = []
    for extent in (0.4, 0.6):
        ((_, (left, top, right, bottom)),) = drawn(
            patient, finding("Lung Lesion", "right", extent=extent)
        ).finding_boxes
        centres.append(((left + right) / 2, (top + bottom) / 2))
    assert np.hypot(*np.subtract(*centres)) < 8


def test_a_finding_outside_the_film_has_no_box():
    patient = PATIENTS[0]
    visit = dataclasses.replace(
        patient.visits[0], findings=(finding("Pleural Other", "left"),), shift=(0.9, 0.0), devices=()
    )
    assert draw(patient, visit, sites_seed=7, size=256).finding_boxes == ()
