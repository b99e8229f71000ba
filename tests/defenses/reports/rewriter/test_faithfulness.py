"""A result is believed only if it is its source without placeholders and plain words."""

from __future__ import annotations

import pytest

from medveil.defenses.reports.rewriter.faithfulness import is_faithful
from medveil.defenses.reports.rewriter.plain_words import PlainWords

PLAIN = PlainWords(
    frozenset("seen by at on the".split()), frozenset(("dr", "md")), ("clinician", "patient", "the", "another")
)
SOURCE = "Dr. [DOCTOR] saw no left effusion, 1.5 cm, at [TIME]. Not seen before."


def test_what_differs_by_plain_words_is_believed() -> None:
    assert is_faithful(SOURCE, "The clinician saw no left effusion, 1.5 cm. Not seen before.", PLAIN)
    assert is_faithful(SOURCE, "Saw no left effusion, 1.5 cm. Not before.", PLAIN)


@pytest.mark.parametrize(
    "other",
    [
        "The clinician saw left effusion, 1.5 cm. Not seen before.",
        "The clinician saw no right effusion, 1.5 cm. Not seen before.",
        "The clinician saw no left effusion, 15 cm. Not seen before.",
        "The clinician saw no left effusion, 1,5 cm. Not seen before.",
        "The clinician saw no left effusion, -1.5 cm. Not seen before.",
        "The clinician saw no left effusion. Not seen before.",
        "The clinician saw no effusion, left 1.5 cm. Not seen before.",
        "The clinician saw no left effusion, 1.5 cm, at [TIME]. Not seen before.",
        "The clinician Harkness saw no left effusion, 1.5 cm. Not seen before.",
        "The clinician saw no left effusion, 1.5 cm. Not seen before. Not seen before.",
        "The clinician saw no left effusion, 1.5 cm.",
        "",
    ],
)
def test_anything_else_is_not(other: str) -> None:
    assert not is_faithful(SOURCE, other, PLAIN)


def test_numbers_that_would_run_into_each_other_are_seen() -> None:
    assert not is_faithful("1 [TIME] .5 mg", "1.5 mg", PLAIN)
    assert not is_faithful("5 [TIME] 3 mg", "53 mg", PLAIN)


@pytest.mark.parametrize(
    ("source", "made"),
    [
        ("[HOSPITAL]-5 mm", "-5 mm"),
        ("Pacemaker: no. [OTHER ID]", "Pacemaker: no."),
        ("Insurance, no. [MRN]", "Insurance, no."),
    ],
)
def test_what_can_be_read_two_ways_is_left_to_nobody(source: str, made: str) -> None:
    assert not is_faithful(source, made, PLAIN)
