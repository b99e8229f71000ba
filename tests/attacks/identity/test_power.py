from __future__ import annotations

import pytest

from medveil.attacks.identity.power import identity_power
from medveil.stats.estimate import Estimate


def linked(value: float, low: float, *, control: float = 0.02, patients: int = 100) -> Estimate:
    return Estimate(value, 0.05, low, 1.0, patients, patients, chance=0.01, control=control)


def test_an_attack_that_works_on_untouched_films_has_power() -> None:
    power = identity_power(linked(0.7, 0.6), adapted=True)
    assert power.enough and "links 70.0 % (60.0 % to 100.0 %; chance 1.0 %)" in power.shown_on
    assert identity_power(linked(0.7, 0.6, control=0.9), adapted=True).enough


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (linked(0.03, 0.005), "was not seen to work"),
        (linked(0.2, 0.1, control=0.3), "below its own control"),
        (linked(0.7, 0.6, patients=39), "too few to know"),
    ],
)
def test_an_attack_that_could_not_have_succeeded_has_none(found: Estimate, words: str) -> None:
    power = identity_power(found, adapted=True)
    assert not power.enough and words in power.sentence
