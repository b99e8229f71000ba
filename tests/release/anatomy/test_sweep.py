from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from medveil.cohort import Cohort
from medveil.defenses.anatomy.coded.known_films import KnownFilms, fingerprint
from medveil.defenses.anatomy.coded.method import Coded
from medveil.defenses.anatomy.method import Film
from medveil.errors import NotMeasurable
from medveil.release.anatomy.frontier import Side, measured_method
from medveil.release.anatomy.sweep import protectable, read_films, sweep


@pytest.fixture(scope="module")
def side(hospital: Cohort) -> Side:
    films = read_films(hospital.where([row < 4 for row in range(len(hospital))]))[0].side
    assert len(films.pixels) == 4
    return films


def test_films_that_a_generator_has_learned_from_are_not_measured_on(
    side: Side, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(protectable(side, ["coded", "blur"]).pixels) == 4
    monkeypatch.setattr(Coded()._workshop, "known", KnownFilms(fingerprint(side.pixels[2])))
    assert np.array_equal(protectable(side, ["coded", "blur"]).pixels, side.pixels[[0, 1, 3]])
    assert len(protectable(side, ["blur"]).pixels) == 4


@pytest.mark.parametrize("name", ["coded", "labels"])
def test_but_they_may_be_learned_from(side: Side, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    method = measured_method(name, weights=None, device="cpu")
    assert isinstance(method, Coded) and method.name == name
    monkeypatch.setattr(method._workshop, "known", KnownFilms(fingerprint(side.pixels[2])))
    assert method.refusal(Film(side.pixels[2], side.fields[2])) is None


def test_too_few_patients_for_a_sweep_are_told(hospital: Cohort, tmp_path: Path) -> None:
    with pytest.raises(NotMeasurable, match="at least 20 patients"):
        sweep(hospital, methods=["blur"], keep=tmp_path)


def test_no_draw_of_a_film_is_found_in_another(side: Side) -> None:
    several = side.several(3)
    films = several.attacked(several.pixels, 3)
    assert films.visit_codes.tolist() == [0, 1, 2, 3] * 3
    assert np.array_equal(films.patients, np.tile(side.patients, 3))
    assert films.returning == side.attacked(side.pixels).returning
