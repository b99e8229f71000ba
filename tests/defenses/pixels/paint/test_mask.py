"""Masks over the strokes of lines that go."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.paint.mask import stroke_mask


def written(
    text: str, size: int, ground: np.ndarray, tone: int, *, stroke: int = 0
) -> tuple[np.ndarray, np.ndarray, Line]:
    """A view with a line on it, which pixels are its ink, and the line."""
    ink = Image.new("L", ground.shape[::-1])
    ImageDraw.Draw(ink).text((30, 30), text, fill=255, font=ImageFont.load_default(size), stroke_width=stroke)
    share = np.asarray(ink) / 255
    y, x = np.nonzero(share > 0.4)
    line = Line.of_box((int(x.min()) - 1, int(y.min()) - 1, int(x.max()) + 2, int(y.max()) + 2))
    return np.rint(ground + (tone - ground) * share).astype(np.uint8), share > 0.4, line


def test_a_stroke_goes_whole_where_it_hardly_stands_out() -> None:
    ground = np.tile(np.linspace(20, 128, 460), (110, 1))
    view, ink, line = written("KLINIKUM OTTILIE", 44, ground, 140)
    assert (stroke_mask([line], [view])[ink] > 0).mean() > 0.97


def test_around_the_smallest_lines_the_mask_takes_no_room_to_fade() -> None:
    view, ink, line = written("NR 4711", 9, np.full((80, 160), 60.0), 220)
    mask = stroke_mask([line], [view])
    assert line.height < 10
    assert (mask[ink] == 1).all()
    assert set(np.unique(mask)) == {0, 1}
    assert (mask[view == 60] > 0).sum() < 0.5 * ink.sum()  # and hardly any beside the strokes


def test_what_is_still_seen_of_the_smallest_lines_goes_with_room_around_it() -> None:
    view, ink, line = written("NR 4711", 9, np.full((80, 160), 60.0), 220)
    around = np.asarray(Image.fromarray(np.uint8(255 * ink)).filter(ImageFilter.MaxFilter(3))) > 0
    assert (stroke_mask([line], [view]) > 0)[around].mean() < 0.6
    assert (stroke_mask([line], [view], harder=1.3) > 0)[around].all()


def test_a_bone_that_the_line_crosses_stays() -> None:
    ground = np.full((110, 460), 60.0)
    ground[78:84] = 110  # a thin bright edge, close below the letters and as long as the film is wide
    view, ink, line = written("KLINIKUM OTTILIE", 30, ground, 230)
    mask = stroke_mask([line.grown(0, 12)], [view]) > 0
    assert mask[ink].mean() > 0.97
    assert mask[78:84].mean() < 0.05


def test_the_glow_around_lead_stays() -> None:
    rng = np.random.default_rng(0)
    view, ink, line = written("DOD", 40, np.full((110, 180), 4.0), 250)
    near = np.asarray(Image.fromarray(np.uint8(255 * ink)).filter(ImageFilter.GaussianBlur(6))) / 255
    view = np.maximum(view, np.rint(4 + 45 * near + rng.integers(0, 8, near.shape) * (near > 0.05))).astype(np.uint8)
    mask = stroke_mask([line], [view]) > 0
    around = np.asarray(Image.fromarray(np.uint8(255 * ink)).filter(ImageFilter.MaxFilter(9))) > 0
    assert mask[ink].mean() > 0.97
    assert (mask & ~around).sum() < 0.15 * ink.sum()


@pytest.mark.parametrize(("ground", "tone"), [(225.0, 165), (60.0, 120)])
def test_bold_letters_are_told_from_the_gaps_between_them(ground: float, tone: int) -> None:
    view, ink, line = written("NM 739853", 40, np.full((110, 320), ground), tone, stroke=3)
    mask = stroke_mask([line], [view]) > 0
    assert mask[ink].mean() > 0.97
