"""Plain patterns that owe nothing to the cleaner."""

from __future__ import annotations

import subprocess
import sys

import pytest

from medveil.person.keys import Keys
from medveil.person.person import Person
from medveil.person.search.known import KnownSearch
from medveil.release.verify.plain_search import plain_identifiers
from medveil.release.verify.text_check import DatesTold, TextCheck


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Seen by Dr. Hartwell today.", ["Hartwell"]),
        ("Prof. J. Miller-Smith Jones was told.", ["J. Miller-Smith Jones"]),
        ("Jane M. Porter, M.D.", ["Jane M. Porter"]),
        ("Mrs. Olsen returns.", ["Olsen"]),
        ("MRN: AB-4711\nClear.", ["AB-4711"]),
        ("Accession 99213847; call 555-0134-221.", ["99213847", "555-0134-221"]),
        ("Write to jane@ward.example.", ["jane@ward.example"]),
        ("No pleural effusion. Heart 12.5 cm, 2019 and 2020, T12, 120 kV.", []),
        ("Name: XXXX\nRead by: [REDACTED]", []),
        ("Kerley B lines; Dr. reviewed.", []),
    ],
)
def test_what_is_found(text: str, found: list[str]) -> None:
    assert [text[one.start : one.end] for one in plain_identifiers(text)] == found


def test_a_name_that_the_cleaner_overlooks_is_seen() -> None:
    """The check of version 0.1 searched by the cleaner's own eyes alone: what it overlooked, both overlooked."""
    check = TextCheck(plain_identifiers)
    person = Person(Keys(b"k" * 40), "p")
    text = "Discussed with Dr. Hartwell."
    left = check.discrepancies("f", text, text, KnownSearch([]), DatesTold.of(person))
    assert [one.found for one in left] == ["as in the source"]
    assert check.discrepancies("f", "Discussed with Dr. Olsen.", text, KnownSearch([]), DatesTold.of(person)) == []


def test_nothing_of_the_cleaner_is_loaded() -> None:
    code = "import sys, medveil.release.verify.plain_search; print([m for m in sys.modules if 'defenses.reports' in m])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
