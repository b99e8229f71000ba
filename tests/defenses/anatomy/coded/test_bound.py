"""The bound, and an encoder that cheats: it knows who is in the set and writes the index into the bits as well as it
can, for an attacker who knows the encoder and the generator."""

from __future__ import annotations

import numpy as np
import pytest

from medveil.defenses.anatomy.coded.bound import bits_for, guarantee, most_success
from medveil.defenses.anatomy.coded.generator import Generator
from medveil.errors import SettingsError

PEOPLE = 300


def test_the_bound_in_numbers() -> None:
    assert most_success(0, 100) == 0.01 and most_success(3, 100) == 0.08 and most_success(9, 100) == 1
    assert most_success(2.5 + 2.5, 320) == pytest.approx(0.1)
    assert bits_for(0.1, 320) == 5 and bits_for(0.1, 319) == 4 and bits_for(0.1, 5) == 0 and bits_for(1, 1) == 1
    for wrong in (lambda: most_success(1, 0), lambda: bits_for(0, 10), lambda: most_success(-1, 5)):
        with pytest.raises(SettingsError):
            wrong()


def test_the_guarantee_says_its_unit_and_what_it_assumes() -> None:
    told = guarantee(5)
    assert told.kind == "formal"
    for part in ("5 bits", "32 / N", "one film", "add up", "trained without the person", "HMAC-SHA-256", "table"):
        assert part in told.statement


@pytest.mark.parametrize("bits", range(1, 9))
def test_a_cheating_encoder_comes_up_to_the_bound_and_not_above(generator: Generator, bits: int) -> None:
    """The attacker even knows the randomness, and so every film that can be. People are named as often as one another,
    so what is counted is the chance itself."""
    code_of = {person: person % 2**bits for person in range(PEOPLE)}
    films = {
        code: generator.draw([code], bits, [np.random.default_rng(bits)])[0].tobytes()
        for code in range(min(2**bits, PEOPLE))
    }
    guess = {film: code for code, film in films.items()}  # the person of that index shares the film's code
    right = sum(guess[films[code_of[person]]] == person for person in range(PEOPLE))
    assert right <= 2**bits
    assert right > 0.95 * 2**bits


@pytest.mark.parametrize("bits", [1, 3])
def test_several_films_of_one_code_tell_no_more_than_one(generator: Generator, bits: int) -> None:
    """Everybody has films enough to be told apart by them, if the films told more than the code does."""
    fresh = [np.random.default_rng([bits, draw]) for draw in range(3)]
    films = {
        code: tuple(generator.draw([code], bits, [chance])[0].tobytes() for chance in fresh) for code in range(2**bits)
    }
    assert all(len(set(one)) == len(fresh) for one in films.values())
    guess = {several: code for code, several in films.items()}
    right = sum(guess[films[person % 2**bits]] == person for person in range(PEOPLE))
    assert right == 2**bits


@pytest.mark.parametrize("bits", [1, 4, 8])
def test_guessing_with_luck_of_ones_own_does_not_help(bits: int) -> None:
    """Encoder and attacker draw lots for every person and every guess; the mean stays at or below the bound."""
    chance = np.random.default_rng(bits)
    people = np.tile(np.arange(PEOPLE), 400)
    table = chance.integers(2**bits, size=(PEOPLE, 16))  # sixteen encoders, of which the attacker knows the one used
    used = chance.integers(16, size=len(people))
    codes = table[people, used]
    likely: dict[tuple[int, int], np.ndarray] = {
        (which, code): np.flatnonzero(table[:, which] == code) for which in range(16) for code in range(2**bits)
    }
    hits = sum(
        int(chance.choice(likely[which, code]) == person)
        for person, which, code in zip(people, used, codes, strict=True)
    )
    expected = most_success(bits, PEOPLE)
    assert hits / len(people) <= expected + 4 * (expected / len(people)) ** 0.5
