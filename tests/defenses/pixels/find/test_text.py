from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from medveil.defenses.pixels.find import text
from medveil.defenses.pixels.find.text import find_text
from medveil.defenses.pixels.lines import Line


@pytest.fixture
def view() -> np.ndarray:
    """Two letters inside the film, and a smooth bar that is none."""
    sheet = Image.fromarray(np.random.default_rng(0).normal(90, 4, (800, 800)).astype(np.uint8))
    ImageDraw.Draw(sheet).text((400, 400), "Ng", fill=230, font=ImageFont.load_default(30))
    ImageDraw.Draw(sheet).rounded_rectangle((300, 600, 420, 630), 10, fill=110)
    return np.asarray(sheet)


def seen(monkeypatch: pytest.MonkeyPatch, view: np.ndarray, line: Line) -> bool:
    monkeypatch.setattr(text, "find_lines", lambda view, window: [line])
    return find_text(view) == [line]


def test_what_is_only_suspected_must_be_read_be_at_the_border_or_have_the_shapes(monkeypatch, view):
    letters, bar = Line.of_box((396, 402, 446, 438), 0.4), Line.of_box((296, 596, 424, 634), 0.4)
    assert seen(monkeypatch, view, letters)
    assert not seen(monkeypatch, view, bar)
    assert seen(monkeypatch, np.roll(view, 140, axis=0), bar.moved(0, 140))


@pytest.mark.parametrize(("score", "counts"), [(0.9, True), (0.2, False)])
def test_the_border_does_not_speak_for_what_is_doubted(monkeypatch, view, score, counts):
    moved = np.roll(view, 140, axis=0)
    assert seen(monkeypatch, moved, Line.of_box((296, 736, 424, 774), score)) == counts
