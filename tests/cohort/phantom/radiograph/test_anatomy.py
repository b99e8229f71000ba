import dataclasses

import numpy as np
import pytest

from medveil.cohort.phantom.plan import FindingPlan, plan_patient
from medveil.cohort.phantom.radiograph.anatomy import RIBS, Anatomy
from medveil.cohort.phantom.radiograph.chest import Chest
from medveil.cohort.phantom.radiograph.pose import Pose

PATIENTS = [plan_patient(3, number, 2) for number in range(40)]


def chest_of(patient, **changes):
    return Chest.of(patient, dataclasses.replace(patient.visits[0], **{"findings": (), **changes}))


def test_anatomy_belongs_to_the_patient_and_not_to_the_visit():
    one, other = PATIENTS[0], PATIENTS[1]
    later = dataclasses.replace(one, number=99, person_key=1, visits=())
    assert Anatomy.of(one).half_width == Anatomy.of(later).half_width
    assert np.array_equal(Anatomy.of(one).rib_jitter, Anatomy.of(later).rib_jitter)
    assert Anatomy.of(one).half_width != Anatomy.of(other).half_width


def test_women_are_narrower_and_have_breasts():
    people = [Anatomy.of(dataclasses.replace(p, sex=sex)) for sex in "FM" for p in PATIENTS]
    women, men = people[: len(PATIENTS)], people[len(PATIENTS) :]
    assert np.mean([w.half_width for w in women]) < np.mean([m.half_width for m in men]) - 0.5
    assert all(m.breast[0] == 0 for m in men) and np.mean([w.breast[0] for w in women]) > 1


@pytest.mark.parametrize("patient", PATIENTS[:10], ids=lambda p: str(p.number))
def test_ribs_are_mirrored_lie_in_order_and_reach_the_wall(patient):
    chest = chest_of(patient)
    ribs = chest.ribs(4, np.minimum(chest.rib_ends, 96))
    assert ribs.shape[:2] == (2, RIBS)
    assert (ribs[0, :10, 10:, 0] < 0).all() and (ribs[1, :10, 10:, 0] > 0).all()
    assert (np.diff(ribs[:, :, 5, 1], axis=1) > 0.8).all(), "ribs cross"
    reach = np.abs(ribs[:, :10, -1, 0])
    assert np.allclose(reach, chest.wall(ribs[:, :10, -1, 1]), atol=1.2)


@pytest.mark.parametrize("patient", PATIENTS[:10], ids=lambda p: str(p.number))
def test_the_thorax_widens_downwards_and_breath_lowers_the_diaphragm(patient):
    deep, shallow = chest_of(patient, inspiration=1.0), chest_of(patient, inspiration=0.0)
    levels = np.linspace(deep.anatomy.apex, deep.bottom, 30)
    assert (np.diff(deep.wall(levels)) >= 0).all()
    assert all(low > high + 1.5 for low, high in zip(deep.domes, shallow.domes, strict=True))
    assert deep.stretch == pytest.approx(1) and shallow.stretch < 0.95
    assert shallow.heart_width > deep.heart_width


def test_atelectasis_raises_only_its_own_side():
    patient = PATIENTS[0]
    lost = FindingPlan("Atelectasis", "left", "lower", 0.8, "new", 1)
    before, after = chest_of(patient), chest_of(patient, findings=(lost,))
    assert after.domes[0] == before.domes[0] and after.domes[1] < before.domes[1] - 1
    assert np.array_equal(before.heart(), after.heart())


def pose(**changes):
    defaults = {"size": 512, "view": "PA", "rotation": 0.0, "tilt": 0.0, "shift": (0.0, 0.0), "zoom": 1.0}
    return Pose(**{**defaults, **changes})


def test_projection_of_the_middle_is_the_inverse_of_the_grid():
    view = pose(tilt=4.0, shift=(0.03, -0.02), zoom=1.1)
    x, y = view.grid()
    points = np.stack([x, y, np.zeros_like(x)], axis=-1)[100:400:50, 100:400:50]
    columns, rows = np.meshgrid(np.arange(100, 400, 50) + 0.5, np.arange(100, 400, 50) + 0.5)
    assert np.allclose(view.project(points), np.stack([columns, rows], axis=-1), atol=0.02)


def test_turning_to_the_left_moves_the_front_of_the_chest_to_the_image_right():
    front, back = np.asarray([[0, 0, 8.0]]), np.asarray([[0, 0, -8.0]])
    turned = pose(rotation=6.0)
    assert turned.project(front)[0, 0] > 256 > turned.project(back)[0, 0]


def test_the_heart_is_magnified_on_ap_films():
    edge = np.asarray([[-5, 0, 4.0], [8, 0, 4.0]])
    width = {view: np.ptp(pose(view=view).project(edge)[:, 0]) for view in ("PA", "AP")}
    assert width["AP"] > 1.03 * width["PA"]
