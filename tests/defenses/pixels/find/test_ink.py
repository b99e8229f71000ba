"""Lines that go on in their tone."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from medveil.defenses.pixels.find.ink import HEIGHT, followed_by_tone, of_tone, tone_of
from medveil.defenses.pixels.lines import Line

TONE = 140


def across(text: str = "KLINIKUM OTTILIE") -> np.ndarray:
    """Type of one tone over a film that is dark on the left and nearly as light as the type on the right."""
    view = np.tile(np.linspace(20, 126, 500), (100, 1)).astype(np.uint8)
    picture = Image.fromarray(view)
    ImageDraw.Draw(picture).text((20, 30), text, fill=TONE, font=ImageFont.load_default(40))
    return np.asarray(picture)


def test_ink_of_one_tone_is_told_from_what_has_many() -> None:
    assert abs((tone_of(Line(110, 54, 180, 40, 0.0).cut_out(across(), HEIGHT)) or 0) - TONE) <= 3
    noise = np.random.default_rng(1).integers(0, 255, (HEIGHT, 160)).astype(np.uint8)
    assert tone_of(noise) is None
    assert tone_of(np.full((HEIGHT, 160), 90, np.uint8)) is None


def test_a_line_goes_on_where_letters_of_its_tone_follow() -> None:
    line = Line(110, 54, 180, 40, 0.0)
    found = followed_by_tone(line, across())
    assert found.length > line.length + 60
    assert found.height == line.height
    assert followed_by_tone(line, across("KLINIKUM")).length < line.length + 25


def test_marks_of_a_tone_are_slim() -> None:
    part = np.zeros((60, 60), np.uint8)
    part[5:8, 5:50] = part[20:55, 20:55] = TONE
    marks = of_tone(part, TONE, 9)
    assert marks[6, 20] == 1
    assert marks[40, 40] == 0
