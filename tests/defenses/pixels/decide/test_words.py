from __future__ import annotations

import cv2
import numpy as np
import pytest

from medveil.defenses.pixels.decide.words import whole_letter
from medveil.defenses.pixels.lines import Line

FOOT = (100, 132, 130, 140)  # all that was seen of the letter


@pytest.fixture
def view():
    """An L, 40 pixels high, on a film that ends close to it."""
    view = np.full((240, 240), 90, np.uint8)
    view[:, :60] = 0
    cv2.rectangle(view, (100, 100), (107, 139), 240, -1)
    cv2.rectangle(view, (100, 132), (129, 139), 240, -1)
    return view


def boxes(view: np.ndarray) -> list[tuple[int, int, int, int]]:
    return [line.box(view.shape) for line in whole_letter(Line.of_box(FOOT), view)]


@pytest.mark.parametrize("turned", [False, True])
def test_a_part_leads_to_the_whole_letter(view, turned):
    assert (100, 100, 130, 140) in boxes(255 - view if turned else view)


def test_what_goes_on_for_ever_is_no_letter(view):
    view[:, 100:108] = 240
    assert boxes(view) == []


def test_nothing_is_found_at_the_very_corner_of_a_plain_image():
    assert whole_letter(Line.of_box((0, 0, 4, 3)), np.full((6, 6), 9, np.uint8)) == []


def test_a_line_drawn_askew_around_a_small_letter_leads_to_it(view):
    line = Line(115, 120, 62, 58, 0.8)
    assert (100, 100, 130, 140) in [found.box(view.shape) for found in whole_letter(line, view)]


def test_a_letter_may_lie_to_one_side_of_what_was_seen_of_it(view):
    view[20:100, 100:108] = 240
    found = whole_letter(Line.of_box(FOOT), view)
    assert (100, 20, 130, 140) in [line.box(view.shape) for line in found]
