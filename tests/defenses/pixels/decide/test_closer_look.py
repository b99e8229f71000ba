from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from medveil.defenses.pixels.decide import cached_reader, closer_look
from medveil.defenses.pixels.decide.cached_reader import CachedReader
from medveil.defenses.pixels.decide.closer_look import looked_at_closer, rows_of
from medveil.defenses.pixels.decide.evidence import UNREAD, Evidence, Finding
from medveil.defenses.pixels.decide.words import Look
from medveil.defenses.pixels.lines import Line

LINE = Line(200, 100, 120, 30, 0.3, 0.9)


@pytest.fixture
def settled(monkeypatch):
    """What becomes of a doubtful line, given how its rows are weighed and what the second reader says."""

    def settle(weighed, second=("", 0.0)):
        monkeypatch.setattr(closer_look, "weigh", lambda rows, view, read: [weighed(row) for row in rows])
        monkeypatch.setattr(cached_reader, "second_opinion", lambda strip: second)
        view = np.full((200, 400), 90, np.uint8)
        doubtful = Evidence(0.98, UNREAD, Look(LINE, 0), Finding.DOUBTFUL)
        return looked_at_closer({LINE: doubtful}, view, CachedReader(view))

    return settle


def row(line: Line, score: float, text: str = "", sure: float = 0.0, finding: Finding = Finding.TYPE) -> Evidence:
    reading = replace(UNREAD, text=text, confidence=sure, letters=len(text))
    return Evidence(score, reading, Look(line, 0), finding)


def test_rows_are_lower_than_the_line_and_turned_both_ways():
    rows = rows_of(LINE)
    assert all(one.height < LINE.height for one in rows)
    assert {round(math.degrees(one.angle - LINE.angle)) for one in rows} == {-10, -5, 0, 5, 10}


def test_a_row_that_can_be_read_makes_type_of_the_doubtful_line_too(settled):
    turned = rows_of(LINE)[-1]
    found = settled(lambda one: row(one, 0.99, "NR4711" if one == turned else "", 0.9))
    assert set(found) == {turned, LINE}
    assert found[LINE].finding is found[turned].finding is Finding.TYPE
    assert found[LINE].look.line == LINE


def test_the_second_reader_may_read_it(settled):
    found = settled(lambda one: row(one, 0.99), ("12.03.1960", 0.95))
    assert {one.finding for one in found.values()} == {Finding.TYPE}


@pytest.mark.parametrize("second", [("808", 0.99), ("TUE", 0.6), ("", 0.0)])
def test_what_looks_like_type_from_close_by_and_cannot_be_read_stays_doubtful(settled, second):
    found = settled(lambda one: row(one, 0.9), second)
    assert [one.finding for one in found.values()] == [Finding.DOUBTFUL]


def test_what_looks_like_type_only_with_what_surrounds_it_is_none(settled):
    found = settled(lambda one: row(one, 0.9 if one.height > 0.7 * LINE.height else 0.2, finding=Finding.NOTHING))
    assert [one.finding for one in found.values()] == [Finding.NOTHING]
