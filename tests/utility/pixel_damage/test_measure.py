from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pandas as pd
import pytest

from medveil.cohort import Cohort
from medveil.cohort.phantom.plan import plan_patient
from medveil.cohort.phantom.radiograph import draw
from medveil.errors import NotMeasurable, SettingsError
from medveil.finding import Verdict
from medveil.testing import check_measure
from medveil.utility.pixel_damage.measure import PixelDamage, PixelDamageSettings

FILMS = 8


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Cohort, Cohort]:
    """Originals and what was released: film 2 lost part of a lung, films 2, 4 and 5 something in a corner."""
    folder = tmp_path_factory.mktemp("films")
    for where in ("before", "after"):
        (folder / where).mkdir()
    for number in range(FILMS):
        patient = plan_patient(52, number, 3)
        drawing = draw(patient, patient.visits[0], sites_seed=52, size=256)
        film = (drawing.pixels >> 4).astype(np.uint8)
        cv2.imwrite(str(folder / "before" / f"secret-{number}.png"), film)
        if number in (2, 4, 5):
            film[:10, :40] = 3
        if number == 2:
            film[drawing.lungs & (np.arange(256) > 128)] = 90
        cv2.imwrite(str(folder / "after" / f"{number:04x}.png"), film)
    return _cohort(folder / "before", "secret-{}.png"), _cohort(folder / "after", "{:04x}.png")


def _cohort(folder: Path, path: str) -> Cohort:
    numbers = range(FILMS)
    columns = {"image_id": "i{}", "patient_id": "p{}", "study_id": "s{}", "path": path}
    table = pd.DataFrame({name: [form.format(number) for number in numbers] for name, form in columns.items()})
    return Cohort.of(table.assign(view="PA"), folder)


def test_what_was_painted_over_is_measured(pair: tuple[Cohort, Cohort]) -> None:
    originals, released = pair
    done = []
    found = PixelDamage(progress=lambda *far: done.append(far)).run(released, originals, seed=1)
    assert found.estimate.value == 1 / FILMS
    assert found.estimates["films changed"].value == 3 / FILMS
    assert 0.3 / FILMS < found.estimates["lung pixels changed"].value < 0.7 / FILMS  # one lung of two
    assert found.verdict is Verdict.REVIEW and found.concerns
    assert "The worst: 0002." in found.answer
    assert found.estimates["largest change of a finding's probability"].value > 0.01
    assert [picture.title for picture in found.pictures] == ["0002"]
    assert done[-1] == (FILMS, FILMS)


def test_the_report_shows_nothing_of_the_originals(pair: tuple[Cohort, Cohort], tmp_path: Path) -> None:
    """Whatever the pixels were before, and whatever shape they had, the picture is the same."""
    originals, released = pair
    others = Cohort(originals.table, tmp_path)
    for number in range(FILMS):
        before, after = originals.image(number), released.image(number)
        film = np.where(before != after, 255 - after, after)
        film[0, 1:39:2] = after[0, 1:39:2]  # letters in the place of a box
        cv2.imwrite(str(tmp_path / f"secret-{number}.png"), film)
    shown = [PixelDamage().run(released, each, seed=1).pictures for each in (originals, others)]
    assert shown[0][0].png == shown[1][0].png
    assert len(shown[0][0].png) < 100_000


def test_other_limits_may_be_chosen(pair: tuple[Cohort, Cohort]) -> None:
    originals, released = pair
    lenient = PixelDamageSettings(most_films=0.5, most_area=0.9, pictures=0)
    found = PixelDamage(lenient).run(released, originals, seed=1)
    assert found.verdict is Verdict.PASS and not found.pictures
    with pytest.raises(SettingsError):
        PixelDamageSettings(most_films=5)


def test_one_patient_is_too_few(pair: tuple[Cohort, Cohort]) -> None:
    originals, released = pair
    first = np.arange(FILMS) == 0
    with pytest.raises(NotMeasurable, match="two patients"):
        PixelDamage().run(released.where(first), originals.where(first), seed=1)


def test_conforms(hospital: Cohort) -> None:
    check_measure(PixelDamage(), hospital)
