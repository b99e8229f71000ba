from __future__ import annotations

import pytest

from medveil.person.normalised import fold
from medveil.person.surrogates.traditions import is_given, sex_of, tradition_of, traditions


@pytest.mark.parametrize(
    ("name", "tradition"),
    [
        ("nguyen", "vietnamese"),
        ("ramachandran", "indian"),
        ("kovalchuk", "slavic"),
        ("giannopoulos", "greek"),
        ("nakashima", "japanese"),
        ("bergstrom", "nordic"),
        ("abdulrahim", "arabic"),
        ("ogunbanjo", "west_african"),
        ("hartwell", "english"),
        ("smith", "english"),
    ],
)
def test_a_name_tells_where_it_is_from(name: str, tradition: str) -> None:
    assert tradition_of(name) == tradition


def test_every_tradition_has_names_enough_for_a_note() -> None:
    for name, tradition in traditions().items():
        assert min(map(len, (tradition.women, tradition.men, tradition.surnames))) >= 12, name
        names = [*tradition.women, *tradition.men, *tradition.surnames]
        assert all(one.isascii() and one[0].isupper() and len(one) > 1 for one in names)


def test_given_names_tell_the_sex() -> None:
    assert (sex_of("mary"), sex_of("jurgen"), sex_of("qwerty")) == ("F", "M", None)
    assert is_given(fold("Ngozi")) and not is_given("hartwell")
