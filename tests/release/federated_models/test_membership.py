from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from medveil.attacks.membership.evidence import RMIA, Evidence
from medveil.attacks.membership.findings import refutes, successes
from medveil.attacks.membership.limits import PrivacyLimit
from medveil.defenses.alignment.accounting import noise_for
from medveil.federated.local_training import assemble, initial
from medveil.federated.recipe import Privacy, Recipe
from medveil.federated.vision_language.films import Films
from medveil.release.federated_models.membership import (
    Audited,
    answer,
    federated_evidence,
    shadow_models,
    trained,
)


def _audited(make_films: Callable[..., Films], patients: int) -> Audited:
    return Audited(
        make_films(patients, seed=1, wrong=0.3),
        np.arange(patients) % 3,
        np.random.default_rng(0).permutation(patients) < patients // 2,
        make_films(30, seed=2, wrong=0.3),
        make_films(40, seed=3, wrong=0.3),
    )


def test_a_model_says_of_everybody_what_it_was_trained_to_say(
    small_recipe: Recipe, make_films: Callable[..., Films]
) -> None:
    audited = _audited(make_films, 24)
    told = answer(small_recipe, assemble(small_recipe, initial(small_recipe)), audited)
    assert told.signals.odds.shape == (3, 24) and told.population.shape == (40,)
    assert told.signals.similarity is not None and (np.abs(told.signals.similarity) <= 1).all()
    assert (told.signals.likelihood < 0).all()
    silent = replace(small_recipe, text="none")
    bare = answer(silent, assemble(silent, initial(silent)), audited)
    assert bare.signals.odds.shape == (1, 24) and bare.signals.similarity is None


def test_films_without_reports_are_asked_about_findings_alone(
    small_recipe: Recipe, make_films: Callable[..., Films]
) -> None:
    audited = _audited(make_films, 24)
    words = audited.films.words.copy()
    words[:5] = 0
    some = replace(audited, films=replace(audited.films, words=words))
    told = answer(small_recipe, assemble(small_recipe, initial(small_recipe)), some)
    silent = audited.films.patients[:5]
    assert not told.signals.odds[1:, silent].any() and told.signals.odds[0, silent].all()


def test_only_those_who_are_in_are_trained_on(small_recipe: Recipe, make_films: Callable[..., Films]) -> None:
    audited = _audited(make_films, 24)
    sites = audited.at_sites(audited.member)
    assert sorted(sites) == ["site 000", "site 001", "site 002"]
    people = {name for films in sites.values() for name in films.people}
    assert people == {audited.films.people[code] for code in np.flatnonzero(audited.member)}
    nobody_at_two = audited.member & (audited.sites != 2)
    assert sorted(audited.at_sites(nobody_at_two)) == ["site 000", "site 001"]


def test_shadow_federations_are_kept(
    small_recipe: Recipe, make_films: Callable[..., Films], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audited = _audited(make_films, 40)
    quick = replace(small_recipe, local_steps=1)
    network = assemble(quick, initial(quick))
    first = federated_evidence(quick, network, audited, 1, shadows=4, seed=1, keep=tmp_path)
    monkeypatch.setattr("medveil.release.federated_models.membership.trained", lambda *_, **__: pytest.fail("again"))
    second = federated_evidence(quick, network, audited, 1, shadows=4, seed=1, keep=tmp_path)
    for one, other in zip(first, second, strict=True):
        assert one.references is not None and other.references is not None
        assert np.array_equal(one.references.likelihood, other.references.likelihood)
        assert one.references.online


@pytest.mark.slow
def test_members_are_told_from_a_bare_model_and_not_beyond_the_limit_of_a_private_one(
    small_recipe: Recipe, make_films: Callable[..., Films]
) -> None:
    """At the stated epsilon the upper end of RMIA's advantage stays under what differential privacy allows."""
    limit = PrivacyLimit(2.0, 1e-5)
    audited = _audited(make_films, 72)
    bare = replace(small_recipe, local_steps=10, batch=12, text="none")
    noise = noise_for(limit.epsilon, limit.delta, 1.0, 2 * bare.local_steps)
    private = replace(bare, privacy=Privacy(limit.epsilon, limit.delta, 1.0, noise))
    found = {}
    for name, recipe, rounds in (("bare", bare, 5), ("private", private, 2)):
        network = assemble(recipe, trained(recipe, audited, audited.member, rounds))
        references = shadow_models(recipe, audited, rounds, 2, seed=1).references
        told = answer(recipe, network, audited)
        evidence = Evidence(audited.member, told.signals, told.population, references)
        found[name] = successes(evidence, seed=1)[RMIA]
    assert found["bare"].auc.low > 0.5
    assert found["private"].advantage.high < limit.advantage and not refutes(found["private"], limit)
