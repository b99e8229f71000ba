"""Lines drawn too high around small print."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from medveil.defenses.pixels.find.tighter import tighter
from medveil.defenses.pixels.lines import Line


def sheet(text: str = "", *, size: int = 14) -> np.ndarray:
    rng = np.random.default_rng(0)
    view = np.clip(80 + rng.normal(0, 2, (120, 360)), 0, 255).astype(np.uint8)
    picture = Image.fromarray(view)
    ImageDraw.Draw(picture).text((60, 50), text, fill=200, font=ImageFont.load_default(size))
    return np.asarray(picture)


def test_a_line_far_higher_than_its_print_becomes_as_low() -> None:
    found = tighter(Line(140, 60, 180, 48, 0.0), sheet("KLINIKUM FEATHERSTONE"))
    assert found is not None
    assert 8 < found.height < 24
    assert abs(found.y - 59) < 6
    assert found.length == 180


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (Line(140, 59, 180, 15, 0.0), "KLINIKUM FEATHERSTONE"),  # drawn well
        (Line(140, 60, 180, 48, 0.0), ""),
        (Line(90, 60, 60, 48, 0.0), "KLIN"),  # too short to tell
    ],
)
def test_other_lines_stay_as_they_are(line: Line, text: str) -> None:
    assert tighter(line, sheet(text)) is None
