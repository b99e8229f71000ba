"""Several films of one code: each another one, and the bits of the code counted once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medveil.defenses.anatomy.defense import HiddenAnatomy
from medveil.defenses.anatomy.ledger import BitLedger
from medveil.defenses.anatomy.method import Film
from medveil.errors import Quarantined, SettingsError
from medveil.parts import Subject
from medveil.person.keys import Keys
from medveil.person.person import Person

KEYS = Keys.for_demonstration(3)
PERSON = Person(KEYS, "MR-1")


def drawn(defense: HiddenAnatomy, film: Film, draw: int, **row: Any) -> np.ndarray:
    made = defense.apply(Subject(PERSON, picture=film.pixels, row={"view": "PA", **row}, draw=draw)).picture
    assert made is not None
    return made


def test_draws_differ_and_cost_the_bits_of_one_code(weights: Path, three: list[Film], tmp_path: Path) -> None:
    ledger = tmp_path / "bits.jsonl"
    settings = HiddenAnatomy.Settings(bits=4, draws=3, weights=weights, ledger=ledger, budget=6)
    defense = HiddenAnatomy(KEYS, settings)
    made = [drawn(defense, three[0], draw) for draw in range(3)]
    assert not any(np.array_equal(one, other) for one, other in zip(made, made[1:] + made[:1], strict=True))
    assert np.array_equal(drawn(defense, three[0], 1), made[1])
    assert BitLedger(ledger).spent(PERSON.pseudonym) == 4
    with pytest.raises(Quarantined, match="budget"):  # other labels are another code
        drawn(defense, three[0], 0, Edema=1.0)


def test_the_first_draw_is_that_of_a_single_one(weights: Path, three: list[Film]) -> None:
    one, several = (
        drawn(HiddenAnatomy(KEYS, HiddenAnatomy.Settings(bits=4, draws=draws, weights=weights)), three[0], 0)
        for draws in (1, 4)
    )
    assert np.array_equal(one, several)


@pytest.mark.parametrize("settings", [{"draws": 0}, {"draws": 2, "method": "blur"}, {"steps": 0}, {"steps": 1000}])
def test_what_cannot_be_drawn_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match="drawn"):
        HiddenAnatomy.Settings(**settings)


def test_more_steps_draw_another_film_of_the_same_code(weights: Path, three: list[Film]) -> None:
    few, same, more = (
        drawn(HiddenAnatomy(KEYS, HiddenAnatomy.Settings(bits=4, steps=steps, weights=weights)), three[0], 0)
        for steps in (None, 2, 5)
    )
    assert np.array_equal(few, same)  # two are what this sampler walks by itself
    assert not np.array_equal(few, more)
