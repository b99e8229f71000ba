from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from medveil.cohort import Cohort
from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.encoders.identity.preparing import SIDE, prepare
from medveil.errors import InputError
from medveil.testing import check_measure
from medveil.utility.organs.measure import Organs, OrgansSettings
from medveil.utility.organs.overlap import dice
from medveil.utility.organs.segmenter import fitted, load_organs


def phantom(number: int) -> tuple[np.ndarray, np.ndarray]:
    """A film of a hospital that was not drawn for training, and its heart."""
    patient = plan_patient(4_242, number, 3)
    drawn = draw(patient, patient.visits[0], sites_seed=4_242, size=SIDE)
    return prepare(drawn.pixels), drawn.heart


def test_hearts_lie_where_they_were_drawn() -> None:
    films, hearts = zip(*map(phantom, range(4)), strict=True)
    found = load_organs().masks(films)
    assert found.shape == (4, 2, 192, 192)
    assert dice(found[:, 1:], fitted(np.stack(hearts)[:, None])).min() > 0.88
    assert (found[:, 0].mean((1, 2)) > 0.12).all()  # and there are lungs
    again = load_organs().masks(films[2:])
    assert (again == found[2:]).mean() > 0.999  # in whatever batches


def test_an_empty_film_shows_nothing() -> None:
    assert not load_organs().masks([np.full((256, 256), 90, np.uint8)]).any()
    assert load_organs().masks([]).shape == (0, 2, 192, 192)


def test_another_file_is_no_organ_network(tmp_path: Path) -> None:
    (tmp_path / "some.safetensors").write_bytes(b"nothing")
    with pytest.raises(InputError, match="not an organ network"):
        load_organs(tmp_path / "some.safetensors")


def test_conforms_and_sees_what_moved(hospital: Cohort) -> None:
    some = hospital.where(np.arange(len(hospital)) < 12)
    same = check_measure(Organs(), some)
    assert same.estimates["lungs Dice"].value == same.estimates["heart Dice"].value == 1
    assert 0.3 < same.estimates["heart Dice"].chance < 0.95
    seen: list[tuple[int, int]] = []
    turned = some.where(np.ones(len(some), bool))
    order = np.roll(np.arange(len(some)), 5)
    turned.table["path"] = some.table["path"].to_numpy()[order]  # the films of others
    finding = Organs(OrgansSettings(), progress=lambda *done: seen.append(done)).run(turned, some, seed=0)
    assert finding.estimates["heart Dice"].value < 0.95
    assert seen[-1][0] == seen[-1][1] > 0
