from __future__ import annotations

import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medveil.attacks.identity.adversaries.attacked import ATTACKERS, MODES, Attacked
from medveil.attacks.identity.adversaries.attackers import attack, cross_fitted, halves
from medveil.attacks.identity.adversaries.effort import FULL, SMALL, Effort, effort_of
from medveil.attacks.identity.adversaries.films import Films
from medveil.attacks.identity.adversaries.recognisers import Recognisers
from medveil.encoders.identity.networks.model_file import Architecture, save_network
from medveil.encoders.identity.networks.retrieval_network import RetrievalNetwork
from medveil.errors import InputError, NotMeasurable, SettingsError

People = Callable[..., Films]


def dimmed(films: Films) -> Films:
    return replace(films, defended=255 - films.original // 2)


def test_copies_are_always_found(people: People, recognisers: Recognisers, tiny: Effort) -> None:
    target = people(6, 2, noise=0, seed=1, first=10)
    for films in (target, dimmed(target)):
        done = attack(dimmed(people(6, 2)), films, effort=tiny, recognisers=recognisers)
        for attacker in ATTACKERS:
            assert (done.hits[attacker, "dd"] == 1).all()
    done = attack(people(6, 2), target, effort=tiny, recognisers=recognisers)
    for attacker in ATTACKERS:
        assert (done.hits[attacker, "do"] == 1).all()
        assert (done.cmc[attacker] == 1).all()
        assert (done.own[attacker] == 1).all()


def test_noise_that_knows_nobody_hides_everybody(people: People, recognisers: Recognisers, tiny: Effort) -> None:
    rng = np.random.default_rng(3)
    films = people(40, 2, seed=1)
    hidden = replace(films, defended=rng.integers(256, size=films.original.shape, dtype=np.uint8))
    done = cross_fitted(hidden, effort=tiny, recognisers=recognisers, seed=2)
    for attacker in ATTACKERS:
        for mode in MODES:
            estimate = done.estimate(attacker, mode)
            assert estimate.chance == pytest.approx(1 / 39)
            assert estimate.low <= 1 / 39 <= estimate.high
    assert done.strongest().estimate.high < 0.35


def test_films_that_are_all_the_same_tell_nothing(people: People, recognisers: Recognisers, tiny: Effort) -> None:
    films = people(10, 2, seed=1)
    blank = replace(films, defended=np.full_like(films.original, 90))
    done = cross_fitted(blank, effort=tiny, recognisers=recognisers)
    for attacker in ATTACKERS:
        np.testing.assert_allclose(done.hits[attacker, "dd"], done.chance)


def test_patients_who_teach_are_not_attacked(people: People, recognisers: Recognisers, tiny: Effort) -> None:
    with pytest.raises(InputError, match="2 patients are among those to learn from"):
        attack(people(4, 2), people(4, 2, first=2), effort=tiny, recognisers=recognisers)


def test_nobody_to_recognise(people: People, recognisers: Recognisers, tiny: Effort) -> None:
    once = people(6, 1, first=10)
    with pytest.raises(NotMeasurable, match="two visits"):
        attack(people(6, 2), once, effort=tiny, recognisers=recognisers)
    with pytest.raises(NotMeasurable, match="two patients"):
        cross_fitted(once, effort=tiny, recognisers=recognisers)
    one_visit = replace(people(6, 2), visits=np.arange(6).repeat(2))
    with pytest.raises(NotMeasurable, match="two patients"):
        cross_fitted(one_visit, effort=tiny, recognisers=recognisers)


def test_films_of_one_visit_do_not_count(people: People, recognisers: Recognisers, tiny: Effort) -> None:
    """Copies within a visit are no success, and who has one visit only is no query."""
    films = people(6, 4, seed=1, first=10)
    films.defended[1::4] = films.defended[0::4]
    visits = np.tile([0, 0, 1, 2], 6) + 10 * np.arange(6).repeat(4)
    visits[:4] = 0
    done = attack(
        people(6, 2), replace(films, visits=visits), effort=tiny, recognisers=recognisers, attackers=["frozen"]
    )
    assert np.isnan(done.hits["frozen", "dd"][:4]).all()
    # of 24 films, a patient's first may be found in the two of other visits, and in 20 of others
    assert done.chance[4] == pytest.approx(2 / 22)


class _Killed(Exception):
    pass


def test_a_killed_run_goes_on_to_the_same_outcome(
    people: People, recogniser_files: list[Path], tiny: Effort, tmp_path: Path
) -> None:
    fit, target = (dimmed(people(8, 2, noise=60, seed=seed, first=10 * seed)) for seed in (0, 1))
    told: list[tuple[int, int]] = []

    def fresh() -> Recognisers:
        return Recognisers(recogniser_files[:1], recogniser_files[1], "cpu")

    def killed(done: int, total: int) -> None:
        told.append((done, total))
        if len(told) == 3:
            raise _Killed

    whole = attack(fit, target, effort=tiny, recognisers=fresh())
    with pytest.raises(_Killed):
        attack(fit, target, effort=tiny, recognisers=fresh(), keep=tmp_path / "kept", progress=killed)
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == 0o700
    resumed = attack(fit, target, effort=tiny, recognisers=fresh(), keep=tmp_path / "kept")
    for name, values in whole.to_arrays().items():
        np.testing.assert_array_equal(values, resumed.to_arrays()[name])
    finished: list[tuple[int, int]] = []
    attack(
        fit, target, effort=tiny, recognisers=fresh(), keep=tmp_path / "kept", progress=lambda *of: finished.append(of)
    )
    assert not finished  # nothing was left to learn
    attack(fit, target, effort=tiny, recognisers=fresh(), keep=tmp_path / "kept", seed=5)  # another run, beside it


def test_halves_are_of_patients_and_share_those_who_return(people: People) -> None:
    once, often = people(10, 1), people(6, 3, first=10)
    films = Films(
        np.concatenate([once.original, often.original]),
        np.concatenate([once.original, often.original]),
        np.concatenate([once.patients, often.patients]),
    )
    half = halves(films, seed=4)
    of_patient = [set(half[films.patients == patient]) for patient in range(16)]
    assert all(len(each) == 1 for each in of_patient)
    assert sum(each == {0} for each in of_patient[10:]) == 3
    assert sum(each == {0} for each in of_patient) == 8


def test_cross_fitting_keeps_the_rows(people: People, recognisers: Recognisers, tiny: Effort) -> None:
    films = people(8, 2, seed=6)
    blank = films.defended.copy()
    blank[:4] = 0  # two patients are hidden, the others are copies of themselves
    done = cross_fitted(replace(films, defended=blank), effort=tiny, recognisers=recognisers, attackers=["frozen"])
    np.testing.assert_array_equal(done.patients, films.patients)
    assert done.attackers == ("frozen",)
    assert (done.own["frozen"][4:] == 1).all()
    assert done.own["frozen"][:4].mean() < 1
    assert done.learned_from == (4, 4)


def test_results_are_written_and_read(people: People, recognisers: Recognisers, tiny: Effort, tmp_path: Path) -> None:
    films = replace(people(6, 2), table=np.eye(6, dtype=np.float32).repeat(2, axis=0))
    done = cross_fitted(films, effort=tiny, recognisers=recognisers, attackers=["frozen", "other"])
    assert done.estimate("frozen", "dd").control == 1
    np.savez(tmp_path / "done.npz", **done.to_arrays())
    with np.load(tmp_path / "done.npz") as stored:
        again = Attacked.from_arrays(dict(stored))
    assert again.table() == done.table()
    assert again.learned_from == done.learned_from
    assert again.attackers == ("frozen", "other")


def test_where_nothing_was_changed_nothing_needs_learning(
    people: People, recognisers: Recognisers, tiny: Effort
) -> None:
    films = people(6, 2)
    done = cross_fitted(films, effort=tiny, recognisers=recognisers)
    for attacker in ATTACKERS:
        np.testing.assert_array_equal(done.hits[attacker, "dd"], done.undefended[attacker])
        assert (done.own[attacker] == 1).all()


def test_without_another_architecture_the_rest_attacks(
    people: People, recogniser_files: list[Path], tiny: Effort
) -> None:
    done = cross_fitted(people(6, 2), effort=tiny, recognisers=Recognisers(recogniser_files[:1], None, "cpu"))
    assert done.attackers == ("frozen", "retrained", "restored")


def test_effort() -> None:
    assert effort_of("small", "cuda") is SMALL
    assert effort_of("full", "cpu") is FULL
    assert effort_of(30, "cpu").steps == effort_of("30", "cpu").steps == 30
    assert effort_of(30, "cpu").size == SMALL.size
    assert effort_of(30, "cuda").size == FULL.size
    for wrong in ("great", "0", -3):
        with pytest.raises(SettingsError, match="small, full, or a number"):
            effort_of(wrong, "cpu")


def test_few_films_are_not_learned_by_heart() -> None:
    assert SMALL.on(10_000) == SMALL
    few = SMALL.on(40)
    assert few.steps * few.patients * few.images >= 20 * 40 > (few.steps - 1) * few.patients * few.images
    assert SMALL.on(1).steps == SMALL.on(0).steps == 1
    asked = effort_of(70, "cpu")
    assert asked.on(40).steps == 70  # a number of steps is kept to


def test_unknown_attacker(people: People, recognisers: Recognisers) -> None:
    with pytest.raises(SettingsError, match="no attacker called oracle"):
        attack(people(4, 2), people(4, 2, first=10), recognisers=recognisers, attackers=["oracle"])


@pytest.mark.parametrize("architecture", [{"size": 512}, {"stretched": False}])
def test_a_second_network_that_would_see_less_than_it_was_trained_on_is_refused(
    architecture: dict[str, Any], recogniser_files: list[Path], tmp_path: Path
) -> None:
    told = Architecture("reidentification", "resnet-small", "gem", 16, **architecture)
    save_network(tmp_path / "other.safetensors", RetrievalNetwork("resnet-small", "gem", 16), told)
    with pytest.raises(InputError, match="256 pixels"):
        Recognisers(recogniser_files[:1], tmp_path / "other.safetensors", "cpu")
