from __future__ import annotations

import pytest

from medveil.errors import Quarantined
from medveil.person.identifiers import Category
from medveil.person.person import Known
from medveil.release.clean.leftovers import refuse_leftovers

KNOWN = (
    Known(Category.NAME, "Marlowe^Jane^S"),
    Known(Category.NAME, "Müller^May"),
    Known(Category.MRN, "E1234567"),
    Known(Category.EMAIL, "j@mail.example.org"),
)


@pytest.mark.parametrize(
    "content",
    [
        b"\xdfMARLOWE^X",
        b"Marlowe's chest",
        b"Jane Marlowe",
        "Müller".encode(),
        "MÜLLER".encode("latin-1"),
        b"\0\0E1234567\0",
        b"<j@mail.example.org>",
    ],
)
def test_what_is_left_stays_behind(content: bytes) -> None:
    with pytest.raises(Quarantined):
        refuse_leftovers(b"\0\x10LO " + content + b" \0", KNOWN)


@pytest.mark.parametrize("content", [b"Marlowesque", b"99E12345678", b"MAY BE CHEST", b"JANE", b"Muller"])
def test_what_only_looks_alike_does_not(content: bytes) -> None:
    refuse_leftovers(content, KNOWN)
