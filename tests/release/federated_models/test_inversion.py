from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from medveil.attacks.inversion.judging import likeness
from medveil.attacks.inversion.reconstruction import Search
from medveil.attacks.inversion.settings import InversionSettings
from medveil.cohort import Cohort
from medveil.errors import NotMeasurable
from medveil.federated.recipe import Privacy, Recipe
from medveil.federated.vision_language.films import Films
from medveil.release.attack_inversion import first_and_other_films, invert
from medveil.release.federated_models.inversion import PROTECTIONS, Step, Victims, deal


@pytest.fixture(scope="module")
def victims(make_films: Callable[..., Films]) -> Victims:
    return deal(make_films(30, seed=1), updates=4, sites=3, batch=1, seed=1)


@pytest.fixture(scope="module")
def transformer(small_recipe: Recipe) -> Recipe:
    return replace(small_recipe, image="vit", channels=16, local_steps=1)


def _alike(victims: Victims, drawn: np.ndarray | None) -> float:
    assert drawn is not None
    own = victims.films.pixels[victims.own] / 255
    return float(np.mean([likeness(films, some) for films, some in zip(own, drawn, strict=True)]))


def test_a_bare_gradient_of_a_transformer_is_the_film_and_a_protected_one_is_not(
    victims: Victims, transformer: Recipe
) -> None:
    step = Step(transformer)
    found = {
        name: _alike(victims, step.closed_form(step.sent(victims, name, Privacy(), seed=1))) for name in PROTECTIONS
    }
    assert found["none"] > 0.95
    assert found["secure sums"] < 0.7 and found["privacy"] < 0.2 and found["both"] < 0.2


def test_even_the_update_of_one_step_shows_more_than_noise_does(victims: Victims, transformer: Recipe) -> None:
    """AdamW leaves the signs and, of small gradients, the sizes."""
    step = Step(transformer)
    one = _alike(victims, step.closed_form(*step.update(victims, seed=1)))
    private = _alike(victims, step.closed_form(step.sent(victims, "privacy", Privacy(), seed=1)))
    assert one > private + 0.3


def test_an_update_along_the_gradient_shows_as_much_as_the_gradient(victims: Victims, transformer: Recipe) -> None:
    step = Step(replace(transformer, adam="coordinator"))
    assert _alike(victims, step.closed_form(*step.update(victims, seed=1))) > 0.9


def test_a_convolution_has_no_closed_form_and_is_searched(small_recipe: Recipe, victims: Victims) -> None:
    step = Step(replace(small_recipe, local_steps=1))
    sent = step.sent(victims, "secure sums", Privacy(), seed=1)
    assert step.closed_form(sent) is None
    drawn = step.searched(victims, "secure sums", sent, Search(steps=2, starts=1), seed=1)
    assert drawn.shape == (4, 3, 32, 32) and 0 <= drawn.min() <= drawn.max() <= 1


def test_what_is_sent_is_the_mean_over_sites_and_the_noise_is_as_told(victims: Victims, transformer: Recipe) -> None:
    step = Step(transformer)
    alone = [step.sent(Victims(victims.films, victims.rows[:, n : n + 1]), "none", Privacy(), seed=1) for n in range(3)]
    summed = step.sent(victims, "secure sums", Privacy(), seed=1)
    for place, one in enumerate(summed):
        mean = sum(each[place] for each in alone) / 3
        assert np.allclose(one.numpy(), mean.numpy(), atol=1e-6)  # type: ignore[union-attr]
    noisy = step.sent(victims, "privacy", Privacy(noise=2.0, clip=0.5), seed=1)
    numbers = np.concatenate([one.numpy().ravel() for one in noisy])
    assert abs(numbers.std() - 1.0) < 0.02


def test_no_patient_is_twice_in_an_update(make_films: Callable[..., Films]) -> None:
    dealt = deal(make_films(30, seed=1), updates=5, sites=3, batch=4, seed=1)
    assert dealt.rows.shape == (5, 3, 4)
    assert all(len(np.unique(dealt.films.patients[rows])) == 12 for rows in dealt.rows)
    assert dealt.seen("none").shape == (5, 4) and dealt.seen("both").shape == (5, 12)
    with pytest.raises(ValueError, match="fewer patients"):
        deal(make_films(5, seed=1), updates=1, sites=3, batch=2, seed=1)


def test_a_patient_is_recognised_by_a_film_of_another_study(hospital: Cohort) -> None:
    first, again = first_and_other_films(hospital)
    assert not first.table["patient_id"].duplicated().any() and not again.table["patient_id"].duplicated().any()
    assert not set(first.table["study_id"]) & set(again.table["study_id"])
    few = hospital.where(hospital.table["patient_id"].isin(first.table["patient_id"].iloc[:5]))
    with pytest.raises(NotMeasurable, match="at least 20 patients"):
        invert(few, Recipe(image="vit", side=64), InversionSettings(), seed=1)
