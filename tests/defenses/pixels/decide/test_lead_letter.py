"""Sides in lead, and the initials beside them."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from medveil.defenses.pixels.decide.cached_reader import CachedReader
from medveil.defenses.pixels.decide.lead_letter import find_lead_letter
from medveil.defenses.pixels.lines import Line


def film() -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.clip(90 + rng.normal(0, 3, (700, 700)), 0, 255).astype(np.uint8)


def draw_l(view: np.ndarray, left: int, top: int) -> None:
    """As thick as lead is."""
    view[top : top + 60, left : left + 14] = 245
    view[top + 46 : top + 60, left : left + 40] = 245


def write(view: np.ndarray, text: str, left: int, top: int, size: int) -> tuple[np.ndarray, Line]:
    """The view with thick letters on it, and the line around them."""
    ink = Image.new("L", view.shape[::-1])
    font = ImageFont.load_default(size)
    ImageDraw.Draw(ink).text((left, top), text, fill=255, font=font, stroke_width=2, stroke_fill=255)
    mask = np.asarray(ink) > 100
    y, x = np.nonzero(mask)
    box = int(x.min()), int(y.min()), int(x.max()) + 1, int(y.max()) + 1
    return np.where(mask, 245, view).astype(np.uint8), Line.of_box(box, 0.9)


def test_a_side_above_its_initials_is_whole_and_a_dense_m_is_one_of_them() -> None:
    view = film()
    draw_l(view, 60, 60)
    view, line = write(view, "M T", 52, 122, 30)
    letter = find_lead_letter(line, view, CachedReader(view), [line], [])
    assert letter is not None and letter.text == "L"
    left, top, right, bottom = letter.box
    ink, initials = np.zeros(view.shape, bool), np.zeros(view.shape, bool)
    ink[top:bottom, left:right], initials[top:bottom, left:right] = letter.ink, letter.initials
    bright = view > 200
    above = np.arange(len(view))[:, None] < 121
    assert ink[bright & above].mean() > 0.95
    assert initials[bright & ~above].mean() > 0.95
    assert not (initials & bright & above).any()


def test_the_blur_of_initials_goes_and_what_they_enclose_stays() -> None:
    view = film()
    draw_l(view, 60, 60)
    view, line = write(view, "D D", 52, 124, 34)
    bright, view = view > 200, cv2.GaussianBlur(view, (0, 0), 0.8)
    letter = find_lead_letter(line, view, CachedReader(view), [line], [])
    assert letter is not None
    left, top, right, bottom = letter.box
    initials = np.zeros(view.shape, bool)
    initials[top:bottom, left:right] = letter.initials
    below = np.arange(len(view))[:, None] > 124
    assert initials[(view > 120) & below].mean() > 0.97
    far = cv2.distanceTransform((~bright).astype(np.uint8), cv2.DIST_L2, 3) > 2
    assert not (initials & far).any()


def test_a_ball_beside_a_side_is_no_initial() -> None:
    view = film()
    draw_l(view, 60, 60)
    cv2.circle(view, (80, 140), 13, 245, -1)
    letter = find_lead_letter(Line.of_box((66, 126, 94, 154), 0.9), view, CachedReader(view), [], [])
    assert letter is None or not letter.initials.any()


def test_a_ring_around_a_side_is_not_taken_for_the_side() -> None:
    view = film()
    cv2.ellipse(view, (90, 90), (36, 30), 0, 0, 360, 245, 2)
    view, _ = write(view, "L", 82, 76, 24)
    for line in (Line.of_box((54, 60, 90, 120), 0.9), Line.of_box((54, 60, 126, 120), 0.9)):
        letter = find_lead_letter(line, view, CachedReader(view), [], [])
        assert letter is None or not letter.initials.any()


def test_a_letter_tightly_beside_another_of_its_size_is_no_side() -> None:
    view = film()
    draw_l(view, 60, 60)
    beside = find_lead_letter(Line.of_box((60, 60, 140, 120), 0.9), view, CachedReader(view), [], [])
    assert beside is not None and beside.text == "L"
    cv2.rectangle(view, (110, 63), (138, 116), 245, 7)
    word = Line.of_box((58, 58, 144, 122), 0.9)
    for going, text in ([], "L"), ([word], None):
        letter = find_lead_letter(word, view, CachedReader(view), going, [])
        assert (letter and letter.text) == text


def test_a_side_is_found_in_a_line_drawn_around_all_of_its_plate() -> None:
    view = film()
    draw_l(view, 80, 90)
    view, _ = write(view, "JA", 130, 108, 24)
    cv2.circle(view, (100, 190), 26, 245, 7)
    plate = Line.of_box((60, 60, 185, 226), 0.9)
    letter = find_lead_letter(replace(plate, length=166, height=125, angle=np.pi / 2), view, CachedReader(view), [], [])
    assert letter is not None and letter.text == "L"
    assert letter.initials.any()
