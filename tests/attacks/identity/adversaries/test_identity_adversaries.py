"""The attack on a release: what is told of it, and when it says that it cannot tell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from medveil.attacks.identity.adversaries import reading
from medveil.attacks.identity.adversaries.attackers import cross_fitted
from medveil.attacks.identity.adversaries.effort import SMALL
from medveil.attacks.identity.adversaries.films import Films
from medveil.attacks.identity.adversaries.reading import OTHER_VIEW, UNREADABLE, read_films
from medveil.attacks.identity.adversaries.recognisers import Recognisers
from medveil.attacks.identity.adversaries.wording import HEADLINE, UNTOUCHED, adversaries_finding
from medveil.attacks.identity.attack import IdentityAdversaries
from medveil.attacks.identity.settings import AdversarySettings
from medveil.errors import NotMeasurable, SettingsError
from medveil.parts import choose, registered
from medveil.testing import check_attack

ROOM = "medveil.attacks.identity.adversaries"


@pytest.fixture
def attack(monkeypatch: pytest.MonkeyPatch, recognisers: Recognisers, tiny: Any) -> IdentityAdversaries:
    """With networks that have learned nothing, and little effort: a second a run."""
    monkeypatch.setattr(f"{ROOM}.recognisers.load_recognisers", lambda **_: recognisers)
    monkeypatch.setattr(f"{ROOM}.effort.SMALL", tiny)
    return IdentityAdversaries(AdversarySettings(effort="3"))


def test_it_is_an_attack(attack: IdentityAdversaries, clinic: Any, cohort_of: Any) -> None:
    finding = check_attack(attack, cohort_of(*clinic.visits(range(12))))
    assert finding.headline == HEADLINE
    assert finding.estimate.n == 24 and finding.estimate.units == 12
    # sought in the other half: eleven films, of which one is the match
    assert finding.estimate.chance == pytest.approx(1 / 11)
    assert "taught those that learn" in " ".join(finding.doubts)  # six patients are too few


def test_patients_are_those_of_the_originals(attack: IdentityAdversaries, clinic: Any, cohort_of: Any) -> None:
    """A release may give every film a patient of its own; an attacker looks at the films."""
    pictures, rows = clinic.visits(range(8), recognisable=60)
    originals = cohort_of(pictures, rows)
    renamed = [{"patient_id": f"p{k}", "study_id": f"s{k}"} for k in range(len(rows))]
    released = cohort_of([255 - picture for picture in pictures], renamed, "b")
    finding = attack.run(released, originals, seed=0)
    assert finding.estimate.units == 8
    assert finding.estimates[UNTOUCHED].units == 8


def test_it_runs_when_asked_only() -> None:
    assert "identity-adversaries" in registered("attacks")
    assert "identity-adversaries" not in {choice.name for choice in choose("attacks")}
    (chosen,) = choose("attacks", ["identity-adversaries:effort=40"])
    assert chosen.settings == AdversarySettings(effort="40")
    assert chosen.part.place == "anatomy" and not chosen.part.baseline
    with pytest.raises(SettingsError, match="small, full, or a number"):
        AdversarySettings(effort="huge")


def test_one_visit_each_cannot_be_measured(attack: IdentityAdversaries, clinic: Any, cohort_of: Any) -> None:
    cohort = cohort_of(*clinic.visits(range(6), 1))
    with pytest.raises(NotMeasurable, match="only one frontal study"):
        attack.run(cohort, cohort, seed=0)


def test_what_cannot_be_read_is_set_aside(clinic: Any, cohort_of: Any) -> None:
    pictures, rows = clinic.visits(range(6))
    rows[0]["view"] = "LATERAL"
    originals, released = cohort_of(pictures, rows), cohort_of(pictures, rows, "b")
    (released.root / released.table["path"][3]).write_bytes(b"no picture")
    read = read_films(released, originals, seed=0)
    assert read.set_aside == {OTHER_VIEW: 1, UNREADABLE: 1}
    assert len(read.films) == 10
    np.testing.assert_array_equal(read.films.original, read.films.defended)
    np.testing.assert_array_equal(read.films.patients, [0, 1, *np.arange(2, 6).repeat(2)])


def test_both_eyes_of_a_person_are_sought_in_one_another(
    attack: IdentityAdversaries, clinic: Any, cohort_of: Any
) -> None:
    pictures, rows = clinic.visits(range(6), recognisable=60)
    eyes = [{**row, "study_id": row["patient_id"], "view": "OTHER"} for row in rows]
    coloured = [np.stack([picture, picture // 2, picture // 3], axis=-1) for picture in pictures]
    cohort = cohort_of(coloured, eyes)
    finding = attack.run(cohort, cohort, seed=0)
    assert finding.estimate.n == 12 and finding.estimate.units == 6
    assert any("left and the right eye" in limit for limit in finding.limits)
    once = cohort.where(np.arange(12) % 2 == 0)
    with pytest.raises(NotMeasurable, match="only one image"):
        attack.run(once, once, seed=0)


def test_most_of_the_patients_must_be_readable(attack: IdentityAdversaries, clinic: Any, cohort_of: Any) -> None:
    cohort = cohort_of(*clinic.visits(range(6)))
    for path in cohort.table["path"][:8]:
        (cohort.root / path).write_bytes(b"no picture")
    with pytest.raises(NotMeasurable, match="cannot be read"):
        attack.run(cohort, cohort, seed=0)


def test_of_many_films_whole_patients_are_drawn(clinic: Any, cohort_of: Any) -> None:
    often, once = clinic.visits(range(6)), clinic.visits(range(6, 12), 1)
    cohort = cohort_of(often[0] + once[0], often[1] + once[1])
    read = read_films(cohort, cohort, seed=0, most=9)
    assert np.unique(read.films.patients, return_counts=True)[1].tolist() == [2, 2, 2, 2]
    assert (read.drawn, read.returning, read.patients) == (4, 4, 12)
    read = read_films(cohort, cohort, seed=0, most=15)
    assert read.films.returning == 6 and len(read.films) == 15


def test_a_table_that_tells_more_is_told_but_no_weakness(people: Any, recognisers: Recognisers, tiny: Any) -> None:
    """Films that hide everybody fall behind the table; the attackers work, for they know untouched films."""
    films: Films = people(24, 2)
    hidden = replace(
        films,
        defended=np.random.default_rng(0).integers(256, size=films.original.shape, dtype=np.uint8),
        table=np.eye(24, dtype=np.float32).repeat(2, axis=0),
    )
    done = cross_fitted(hidden, effort=tiny, recognisers=recognisers)
    finding = adversaries_finding("x", done, reading.ReadFilms(hidden, {}, 24, 24, 24), SMALL, seed=0)
    assert finding.estimate.control == 1
    assert finding.doubts == () and finding.power is not None and finding.power.enough
    assert any("Age, sex, view and site alone find 100.0 %" in limit for limit in finding.limits)


def test_attackers_below_the_table_on_untouched_films_are_weak(
    people: Any, recognisers: Recognisers, tiny: Any
) -> None:
    films: Films = replace(people(24, 2), table=np.eye(24, dtype=np.float32).repeat(2, axis=0))
    done = cross_fitted(films, effort=tiny, recognisers=recognisers, attackers=["frozen"])
    weak = replace(done, undefended={"frozen": (np.arange(48) % 3 == 0).astype(float)})
    finding = adversaries_finding("x", weak, reading.ReadFilms(films, {}, 24, 24, 24), SMALL, seed=0)
    assert len(finding.doubts) == 1 and "weaker than anybody with the table" in finding.doubts[0]
    assert finding.estimates[UNTOUCHED].value == pytest.approx(1 / 3)


def test_failing_on_untouched_films_proves_nothing(people: Any, recognisers: Recognisers, tiny: Any) -> None:
    films: Films = people(24, 2)
    noise = np.random.default_rng(0).integers(256, size=films.original.shape, dtype=np.uint8)
    done = cross_fitted(Films(noise, noise, films.patients), effort=tiny, recognisers=recognisers)
    finding = adversaries_finding("x", done, reading.ReadFilms(films, {}, 24, 24, 24), SMALL, seed=0)
    assert any("untouched films" in concern for concern in finding.doubts)
