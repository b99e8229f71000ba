from __future__ import annotations

import json
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from medveil.cohort import Cohort
from medveil.defenses.alignment.accounting import Spending, epsilon
from medveil.errors import InputError, SettingsError
from medveil.federated.local_training import (
    ANSWER,
    LEDGER,
    SECRET,
    Arrays,
    BudgetSpent,
    LocalTraining,
    assemble,
    initial,
    names,
)
from medveil.federated.recipe import Privacy, Recipe
from medveil.federated.refusals import Refusal
from medveil.federated.vision_language import steps
from medveil.federated.vision_language.films import Films
from medveil.federated.vision_language.steps import LocalSteps

PRIVACY = Privacy(epsilon=8.0, noise=2.0)
MakeFilms = Callable[..., Films]


def same(ours: Arrays, theirs: Arrays) -> bool:
    return all(np.array_equal(one, other) for one, other in zip(ours, theirs, strict=True))


def booked(folder: Path) -> int:
    return len(json.loads((folder / LEDGER).read_text())["runs"])


def test_a_phantom_hospital_trains_and_its_update_is_the_difference(
    hospital: Cohort, small_recipe: Recipe, tmp_path: Path
) -> None:
    site = hospital.where(hospital.table["site"] == "site-1")
    training = LocalTraining(small_recipe, site, tmp_path)
    shared = initial(small_recipe)
    update = training.update(shared, 1)
    assert [part.shape for part in update] == [part.shape for part in shared]
    assert all(part.dtype == np.float32 for part in update) and any(part.any() for part in update)
    assert training.weight == site.table["patient_id"].nunique()
    assert training.epsilon is None and not (tmp_path / LEDGER).exists()
    assert len(names(small_recipe)) == len(shared) == len(set(names(small_recipe)))


@pytest.mark.parametrize("privacy", [None, PRIVACY])
def test_a_round_asked_twice_gives_the_same_bytes_and_is_booked_once(
    privacy: Privacy | None, small_recipe: Recipe, make_films: MakeFilms, tmp_path: Path
) -> None:
    recipe, films = replace(small_recipe, privacy=privacy), make_films()
    shared = initial(recipe)
    first = LocalTraining(recipe, films, tmp_path).update(shared, 1)
    assert same(first, LocalTraining(recipe, films, tmp_path).update(shared, 1))
    (tmp_path / ANSWER).unlink()  # killed before it was kept: the steps are taken again, the same ones
    assert same(first, LocalTraining(recipe, films, tmp_path).update(shared, 1))
    whole = (tmp_path / ANSWER).read_bytes()
    for broken in (b"", b"no archive", whole[: len(whole) // 2]):
        (tmp_path / ANSWER).write_bytes(broken)
        assert same(first, LocalTraining(recipe, films, tmp_path).update(shared, 1))
    if privacy is not None:
        assert booked(tmp_path) == 1


def test_other_weights_or_films_are_another_question_with_noise_of_its_own(
    small_recipe: Recipe, make_films: MakeFilms, tmp_path: Path
) -> None:
    recipe, films = replace(small_recipe, privacy=PRIVACY), make_films()
    training, shared = LocalTraining(recipe, films, tmp_path), initial(recipe)
    first = training.update(shared, 1)
    moved = [part + np.float32(1e-6) for part in shared]
    second = training.update(moved, 1)
    assert booked(tmp_path) == 2
    # were the noise the same, the answers would hardly differ
    assert np.abs(first[0] - second[0]).mean() > 0.1 * np.abs(first[0]).mean()
    LocalTraining(recipe, make_films(seed=1), tmp_path).update(shared, 1)
    assert booked(tmp_path) == 3


def test_under_a_new_key_the_same_round_is_booked_again(
    small_recipe: Recipe, make_films: MakeFilms, tmp_path: Path
) -> None:
    """Another key is other noise: two answers to one question must not count as one."""
    recipe = replace(small_recipe, privacy=PRIVACY, text="none")
    films, shared = make_films(), initial(recipe)
    first = LocalTraining(recipe, films, tmp_path).update(shared, 1)
    (tmp_path / SECRET).unlink()
    assert not same(first, LocalTraining(recipe, films, tmp_path).update(shared, 1))
    assert booked(tmp_path) == 2


def test_the_ledger_is_on_disk_before_the_first_step(
    small_recipe: Recipe, make_films: MakeFilms, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = replace(small_recipe, privacy=PRIVACY)
    seen: list[int] = []

    def killed(*_: object) -> None:
        seen.append(booked(tmp_path))
        raise KeyboardInterrupt

    monkeypatch.setattr(LocalSteps, "run", killed)
    with pytest.raises(KeyboardInterrupt):
        LocalTraining(recipe, make_films(), tmp_path).update(initial(recipe), 1)
    assert seen == [1] and not (tmp_path / ANSWER).exists()


def test_an_empty_sample_gets_its_noise_too(
    small_recipe: Recipe, make_films: MakeFilms, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "poisson_sample", lambda *_: np.zeros(0, np.intp))
    recipe = replace(small_recipe, privacy=PRIVACY)
    update = LocalTraining(recipe, make_films(), tmp_path).update(initial(recipe), 1)
    assert all((part != 0).mean() > 0.9 for part in update)


def test_the_run_ends_when_the_budget_does_and_nothing_is_answered(
    small_recipe: Recipe, make_films: MakeFilms, tmp_path: Path
) -> None:
    films = make_films()
    sampling = min(1.0, small_recipe.batch / len(films.people))
    two = epsilon([Spending(2.0, sampling, 2 * small_recipe.local_steps)], 1e-5)
    recipe = replace(small_recipe, privacy=Privacy(epsilon=two * 1.001, noise=2.0))
    training, shared = LocalTraining(recipe, films, tmp_path), initial(recipe)
    for number in (1, 2):
        training.update(shared, number)
    assert training.epsilon == pytest.approx(two, rel=1e-3)
    with pytest.raises(BudgetSpent, match="over its budget"):
        training.update(shared, 3)
    assert booked(tmp_path) == 2
    assert same(training.update(shared, 2), LocalTraining(recipe, films, tmp_path).update(shared, 2))


def test_what_a_private_site_keeps_is_its_owners_and_says_nothing_of_its_size(
    small_recipe: Recipe, make_films: MakeFilms, tmp_path: Path
) -> None:
    recipe, films = replace(small_recipe, privacy=PRIVACY), make_films(patients=5)
    training = LocalTraining(recipe, films, tmp_path)
    training.update(initial(recipe), 1)
    for name in (LEDGER, SECRET, ANSWER):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert training.weight == 1.0
    assert not any(person in (tmp_path / LEDGER).read_text() for person in films.people)
    with pytest.raises(SettingsError, match="needs a folder"):
        LocalTraining(recipe, films, None)


def test_a_site_without_reports_leaves_the_text_encoder_as_it_is(small_recipe: Recipe, make_films: MakeFilms) -> None:
    recipe = replace(small_recipe, weight_decay=0.0)
    update = LocalTraining(recipe, make_films(reports=False), None).update(initial(recipe), 1)
    told = dict(zip(names(recipe), update, strict=True))
    assert not any(part.any() for name, part in told.items() if name.startswith("text"))
    assert any(part.any() for name, part in told.items() if name.startswith("image"))


def test_training_that_goes_astray_is_told_as_that_and_not_as_bad_data(
    small_recipe: Recipe, make_films: MakeFilms
) -> None:
    recipe = replace(small_recipe, learning_rate=1e30, local_steps=3)
    with pytest.raises(Refusal) as refused:
        LocalTraining(recipe, make_films(), None).update(initial(recipe), 1)
    assert refused.value.code == "not-finite"


def test_weights_that_do_not_fit_are_refused(small_recipe: Recipe, make_films: MakeFilms) -> None:
    shared = initial(small_recipe)
    training = LocalTraining(small_recipe, make_films(), None)
    for wrong in (shared[:-1], [*shared[:-1], shared[-1][:1]], [*shared[:-1], shared[-1] * np.nan]):
        with pytest.raises(InputError):
            training.update(wrong, 1)
    network = assemble(small_recipe, [part + 1 for part in shared])
    assert all(
        np.allclose(parameter.detach().numpy(), before + 1)
        for parameter, before in zip(network.parameters(), shared, strict=True)
    )
