from __future__ import annotations

import numpy as np
import pytest

from medveil.defenses.pixels.decide import cached_reader
from medveil.defenses.pixels.decide.beside_initials import marker_in_line
from medveil.defenses.pixels.decide.cached_reader import CachedReader
from medveil.defenses.pixels.decide.words import Look
from medveil.defenses.pixels.lines import Line

LOOK = Look(Line(300, 300, 160, 30, 0.0), 0)


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
        [("AP", 0.99), ("AP", 0.99), ("AP", 0.99)],  # anybody's initials
    ],
)
def test_what_the_second_reader_alone_is_less_sure_of_goes(monkeypatch, opinions):
    assert said(monkeypatch, *opinions) is None
