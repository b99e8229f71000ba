from __future__ import annotations

import numpy as np
import pytest

from medveil.defenses.pixels.decide import beside_initials, cached_reader
from medveil.defenses.pixels.decide.beside_initials import marker_in_line
from medveil.defenses.pixels.decide.cached_reader import CachedReader
from medveil.defenses.pixels.decide.words import Look
from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.read.reader import Reading

LOOK = Look(Line(300, 300, 160, 30, 0.0), 0)
LETTERS, WIDE, HEIGHT = 8, 30, 48  # of a line with a space after its fourth letter


def said(monkeypatch, *opinions):
    """The marker in a line of which the first reader reads nothing, and the second this, look by look."""
    view = np.full((600, 600), 90, np.uint8)
    answers = iter(opinions)
    monkeypatch.setattr(cached_reader, "second_opinion", lambda strip: next(answers, ("", 0.0)))
    found = marker_in_line(LOOK, view, CachedReader(view))
    return found and found.text


@pytest.mark.parametrize("text", ["PORTABLE", "85 kV 2.5 mAs"])
def test_a_longer_marker_stays_that_the_second_reader_alone_reads_twice(monkeypatch, text):
    assert said(monkeypatch, (text, 0.99), (text, 0.7)) == text.upper()


@pytest.mark.parametrize(
    "opinions",
    [
        [("PORTABLE", 0.8), ("PORTABLE", 0.8)],  # never certain
        [("PORTABLE", 0.99), ("PORTELBE", 0.99)],  # but once
        [("PORTABLE", 0.99), ("PORTABLE", 0.99), ("PORTABLERS", 0.6)],  # and more
        [("PORTABLE", 0.99), ("PORTABLE", 0.99), ("PORTABLE", 0.99), ("PORTABLERS", 0.6)],  # in the widest look
        [("AP", 0.99), ("AP", 0.99), ("AP", 0.99)],  # anybody's initials
    ],
)
def test_what_the_second_reader_alone_is_less_sure_of_goes(monkeypatch, opinions):
    assert said(monkeypatch, *opinions) is None


def test_a_short_marker_stays_that_the_second_reader_alone_reads_however_it_is_cut_out(monkeypatch):
    assert said(monkeypatch, ("AP", 0.998), ("AP", 0.9), ("AP", 0.999), ("AP", 0.99)) == "AP"
    assert said(monkeypatch, ("AP", 0.98), ("AP", 0.9), ("AP", 0.98), ("AP", 0.98)) is None
    assert said(monkeypatch, ("AP", 0.998), ("AP", 0.9), ("AP", 0.999), ("AR", 0.9)) is None
    assert said(monkeypatch, *4 * [("L", 0.999)]) is None


@pytest.mark.parametrize(("first", "stays"), [("SUPIE", True), ("SUPINA", False), ("SPUINE", False)])
def test_what_the_first_reader_has_not_seen_of_a_marker_does_not_speak_against_it(monkeypatch, first, stays):
    reading = Reading(first, 0.9, 0.9, len(first), np.zeros((1, 1), np.float32))
    monkeypatch.setattr(cached_reader, "read_many", lambda strips: [reading for _ in strips])
    assert (said(monkeypatch, *4 * [("SUPINE", 0.97)]) == "SUPINE") == stays


@pytest.mark.parametrize("slip", [-0.08, 0.0, 0.08])
def test_a_line_is_parted_between_its_words_though_a_reader_is_a_little_wrong_about_where_they_are(slip):
    view = np.full((200, 400), 90, np.uint8)
    line = Line(40 + (LETTERS * WIDE + 10) / 2, 100, LETTERS * WIDE + 10, HEIGHT, 0.0)
    for number in range(LETTERS):
        left = 40 + number * WIDE + 10 * (number >= LETTERS // 2)
        view[80:120, left + 2 : left + 8] = view[96:104, left + 2 : left + WIDE - 2] = (
            250  # hardly apart, but for the space
        )
    words = (40 + 3.9 * WIDE, 40 + 4.1 * WIDE + 10)
    gap = tuple((word - 40) / line.length + slip for word in words)
    before, after = beside_initials._halves(Look(line, 0, aside=0.0, across=0.0), view, gap)
    space = 40 + LETTERS // 2 * WIDE
    assert space - 2 <= before.x + before.length / 2 <= space + 12
    assert after.x - after.length / 2 == pytest.approx(before.x + before.length / 2)
