from __future__ import annotations

import pytest

from medveil.attacks.identity.linkable import FalseMatches
from medveil.attacks.identity.power import identity_power
from medveil.stats.estimate import Estimate

RATE = 1e-3
FALSE = FalseMatches(RATE, RATE, 10_000)


def linked(value: float, low: float, *, control: float = 0.02, patients: int = 100) -> Estimate:
    return Estimate(value, 0.05, low, 1.0, patients, patients, chance=0.01, control=control)


def test_an_attack_that_works_on_untouched_films_has_power() -> None:
    power = identity_power(linked(0.7, 0.6), FALSE, RATE, adapted=True)
    assert power.enough and "links 70.0 % (60.0 % to 100.0 %; chance 1.0 %)" in power.shown_on
    assert identity_power(linked(0.7, 0.6, control=0.9), FALSE, RATE, adapted=True).enough


@pytest.mark.parametrize(
    ("found", "false", "words"),
    [
        (linked(0.03, 0.005), FALSE, "was not seen to work"),
        (linked(0.2, 0.1, control=0.3), FALSE, "below its own control"),
        (linked(0.7, 0.6, patients=39), FALSE, "too few to know"),
        (linked(0.7, 0.6), FalseMatches(0.02, 0.02, 100), "too few to know"),
    ],
)
def test_an_attack_that_could_not_have_succeeded_has_none(found: Estimate, false: FalseMatches, words: str) -> None:
    power = identity_power(found, false, RATE, adapted=True)
    assert not power.enough and words in power.sentence
