from __future__ import annotations

import pytest

from medveil.defenses.pixels.read.alphabet import CHARACTERS, OTHER, as_read, is_letter, places


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("85 kV 2.5 mAs", "85 KV 2.5 mAS"),  # s and v differ from S and V in size alone
        ("Erect", "EreCt"),
        ("Müller#3", f"M{OTHER}ller{OTHER}3"),
        ("СТОЯ", f"CTO{OTHER}"),  # what looks like a Latin letter cannot be told from it
    ],
)
def test_what_only_looks_the_same_is_read_the_same(text, read):
    assert as_read(text) == read
    assert "".join(CHARACTERS[place] for place in places(text)) == read


def test_nothing_has_no_sign_of_its_own():
    assert CHARACTERS[0] == ""
    assert 0 not in places("".join(CHARACTERS))
    assert len(set(CHARACTERS)) == len(CHARACTERS)


def test_letters_of_other_alphabets_count_as_letters():
    assert [is_letter(sign) for sign in ("A", "l", "7", OTHER, ".", " ")] == [True, True, True, True, False, False]
