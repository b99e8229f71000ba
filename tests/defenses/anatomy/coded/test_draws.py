"""Several films of one code: each another one, and the bits of the code counted once."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medveil.defenses.anatomy.coded.model_file import load_coded, save_coded
from medveil.defenses.anatomy.defense import HiddenAnatomy
from medveil.defenses.anatomy.ledger import BitLedger
from medveil.defenses.anatomy.method import Film
from medveil.errors import Quarantined, SettingsError
from medveil.parts import Subject
from medveil.person.keys import Keys
from medveil.person.person import Person
from tests.defenses.anatomy.coded.conftest import questions_about_noise

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


def test_another_generator_s_code_tells_more_of_the_same_film(weights: Path, three: list[Film], tmp_path: Path) -> None:
    ledger, other = tmp_path / "bits.jsonl", tmp_path / "coded.safetensors"
    shutil.copytree(weights.parent, tmp_path, dirs_exist_ok=True)
    told = load_coded(weights)
    save_coded(other, told.sampler, told.head, questions_about_noise(1), np.zeros((0, 32), np.uint8))
    for networks in (weights, other, weights):
        drawn(HiddenAnatomy(KEYS, HiddenAnatomy.Settings(bits=4, weights=networks, ledger=ledger)), three[0], 0)
    assert BitLedger(ledger).spent(PERSON.pseudonym) == 8


def test_the_first_draw_is_that_of_a_single_one(weights: Path, three: list[Film]) -> None:
    one, several = (
        drawn(HiddenAnatomy(KEYS, HiddenAnatomy.Settings(bits=4, draws=draws, weights=weights)), three[0], 0)
        for draws in (1, 4)
    )
    assert np.array_equal(one, several)


@pytest.mark.parametrize("settings", [{"draws": 0}, {"draws": 2, "method": "blur"}, {"draws": 1000}])
def test_what_cannot_be_drawn_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match="drawn from"):
        HiddenAnatomy.Settings(**settings)
