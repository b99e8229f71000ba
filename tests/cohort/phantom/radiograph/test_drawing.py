import dataclasses

import cv2
import numpy as np
import pytest

from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph.drawing import draw

PATIENTS = [plan_patient(5, number, 3) for number in range(24)]


def plain(patient, **changes):
    """The first visit without findings and devices, straight on."""
    straight = {"findings": (), "devices": (), "view": "PA", "rotation": 0.0, "tilt": 0.0, "shift": (0.0, 0.0)}
    return dataclasses.replace(patient.visits[0], **{**straight, "zoom": 1.0, "inspiration": 0.8, **changes})


def bytes_of(drawing):
    arrays = (drawing.pixels, drawing.lungs, drawing.heart)
    return b"".join(array.tobytes() for array in arrays), drawing.finding_boxes, drawing.device_boxes


def test_same_arguments_same_bytes_whatever_was_drawn_before():
    patient = PATIENTS[0]
    first = bytes_of(draw(patient, patient.visits[0], sites_seed=5, size=256))
    for other in PATIENTS[1:20]:  # more patients than any cache holds
        draw(other, other.visits[0], sites_seed=6, size=128)
    assert bytes_of(draw(patient, patient.visits[0], sites_seed=5, size=256)) == first


def test_the_number_of_threads_changes_nothing():
    patient = PATIENTS[1]
    try:
        drawn = []
        for threads in (1, 4):
            cv2.setNumThreads(threads)
            drawn.append(bytes_of(draw(patient, patient.visits[0], sites_seed=5)))
    finally:
        cv2.setNumThreads(1)
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("size", [128, 256, 511, 512, 1024])
def test_a_drawing_is_12_bit_square_and_uses_the_range(size):
    drawing = draw(PATIENTS[2], PATIENTS[2].visits[0], sites_seed=5, size=size)
    assert drawing.pixels.dtype == np.uint16 and drawing.pixels.shape == (size, size)
    assert drawing.pixels.max() <= 4095
    low, high = np.percentile(drawing.pixels, (5, 95))
    assert low < 1200 and high > 2600
    for mask in (drawing.lungs, drawing.heart):
        assert mask.dtype == np.bool_ and mask.shape == (size, size)


@pytest.mark.parametrize("patient", PATIENTS, ids=lambda p: str(p.number))
def test_lungs_are_darker_than_the_heart_and_masks_are_plausible(patient):
    visit = plain(patient)
    drawing = draw(patient, visit, sites_seed=5, size=256)
    lungs, heart, pixels = drawing.lungs, drawing.heart, drawing.pixels.astype(float)
    assert not (lungs & heart).any()
    assert 0.12 < lungs.mean() < 0.45 and 0.04 < heart.mean() < 0.16
    assert pixels[lungs].mean() + 500 < pixels[heart].mean()
    assert pixels[heart].mean() < np.median(pixels[225:240, 96:160]), "the belly is denser than the heart"
    right, left = lungs[:, :128].sum(), lungs[:, 128:].sum()
    assert left < 1.1 * right, "the heart takes room from the left lung"
    assert np.flatnonzero(heart.any(axis=0)).mean() > 128, "the heart lies to the image right"


def test_the_geometry_scales_with_the_size():
    patient = PATIENTS[3]
    small, large = (draw(patient, plain(patient), sites_seed=5, size=size) for size in (256, 1024))
    shrunk = cv2.resize(large.pixels, (256, 256), interpolation=cv2.INTER_AREA).astype(float)
    inner = slice(20, 236)  # clear of the collimator, whose skew is drawn at random
    assert np.corrcoef(shrunk[inner, inner].ravel(), small.pixels[inner, inner].ravel())[0, 1] > 0.985
    assert large.lungs.mean() == pytest.approx(small.lungs.mean(), rel=0.02)


def test_breath_view_and_rotation_move_the_right_things():
    def mean(what, **changes):
        return np.mean([what(draw(p, plain(p, **changes), sites_seed=5, size=256)) for p in PATIENTS[:8]])

    def lung(drawing):
        return drawing.lungs.mean()

    def heart_width(drawing):
        return np.ptp(np.flatnonzero(drawing.heart.any(axis=0)))

    def heart_place(drawing):
        return np.nonzero(drawing.heart)[1].mean()

    assert mean(lung, inspiration=1.0) > 1.1 * mean(lung, inspiration=0.2)
    assert mean(heart_width, view="AP") > 1.03 * mean(heart_width)
    assert mean(heart_place, rotation=6.0) > mean(heart_place) + 1 > mean(heart_place, rotation=-6.0) + 2


def test_visits_of_one_patient_differ_but_resemble_one_another_more_than_strangers():
    rows, owners = [], []
    for patient in [plan_patient(9, number, 3) for number in range(40)]:
        for visit in patient.visits[:2]:
            pixels = draw(patient, visit, sites_seed=9, size=128).pixels
            thumb = cv2.resize(cv2.equalizeHist((pixels >> 4).astype(np.uint8)), (32, 32)).astype(float).ravel()
            rows.append((thumb - thumb.mean()) / np.linalg.norm(thumb - thumb.mean()))
            owners.append(patient.number)
    alike, owner = np.asarray(rows) @ np.asarray(rows).T, np.asarray(owners)
    same = (owner[:, None] == owner) & ~np.eye(len(owner), dtype=bool)
    assert alike[same].max() < 0.9999
    assert alike[same].mean() > alike[owner[:, None] != owner].mean() + 0.02
    np.fill_diagonal(alike, -1)
    hit = same[np.arange(len(owner)), alike.argmax(axis=1)][same.any(axis=1)].mean()
    assert 0.1 < hit < 0.9, "identity must be learnable and not trivial"


def test_noise_and_grain_are_new_at_every_visit():
    """A pattern that stayed on the film would give the patient away to any pixel comparison."""
    patient = PATIENTS[4]
    one, other = (draw(patient, plain(patient, noise_key=key), sites_seed=5) for key in (1, 2))
    change = cv2.GaussianBlur(one.pixels.astype(np.float32) - other.pixels, (0, 0), 2)
    inner = cv2.erode(one.lungs.astype(np.uint8), np.ones((15, 15))) > 0
    shoulder = change[60:160, 20:60]
    assert change[inner].std() > 3 * shoulder.std(), "the lungs' grain stays"
    assert 1 < shoulder.std() < 30
