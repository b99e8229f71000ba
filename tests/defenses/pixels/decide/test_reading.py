from __future__ import annotations

import numpy as np
import pytest

from medveil.defenses.pixels.decide import reading
from medveil.defenses.pixels.decide.words import Look, Word
from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.read.alphabet import OTHER
from medveil.defenses.pixels.read.ctc import Reading

VIEW = np.full((600, 600), 90, np.uint8)
CLOSE, WIDE = Look(line := Line(300, 300, 60, 30, 0.0), 0, aside=0.0), Look(line, 0, aside=0.8)


class Second:
    """A second reader that says the same of every look, beside a first that is so certain of the closest."""

    view = VIEW

    def __init__(self, text: str, sure: float, certainty: float) -> None:
        self.said, self.certainty = (text, sure), certainty

    def __call__(self, looks: list[Look]) -> list[Reading]:
        return [of("AP", self.certainty) for _ in looks]

    def second(self, look: Look) -> tuple[str, float]:
        return self.said


def of(text: str, certainty: float = 0.99) -> Reading:
    return Reading(text, 0.99, certainty, len(text), np.zeros((0, 0), np.float32))


def shows_more(wide: str, second: tuple[str, float], certainty: float = 0.999) -> bool:
    word = Word([CLOSE.line], readings=[(CLOSE, of("AP")), (WIDE, of(wide))])
    return reading._shows_more(word, CLOSE, "AP", Second(*second, certainty))


def test_the_edge_of_a_plate_beside_a_short_marker_is_no_letter_where_the_second_reader_sees_none():
    assert not shows_more("AP" + OTHER, ("AP", 0.999))


@pytest.mark.parametrize(
    ("wide", "second"),
    [
        ("AP" + OTHER, ("AP", 0.9)),  # not certain
        ("AP" + OTHER, ("APL", 0.999)),  # sees a letter
        ("AP" + OTHER, ("", 0.0)),
        ("APL", ("AP", 0.999)),  # the first has read it
        ("A" + OTHER + "P", ("AP", 0.999)),  # between the two
    ],
)
def test_what_may_be_a_letter_beside_a_short_marker_counts(wide, second):
    assert shows_more(wide, second)


def test_where_the_first_reader_is_less_sure_of_a_short_marker_an_edge_beside_it_counts():
    assert shows_more("AP" + OTHER, ("AP", 0.999), certainty=0.9)
