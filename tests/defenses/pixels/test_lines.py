from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from medveil.defenses.pixels.lines import Line
from medveil.defenses.pixels.paint.mask import RIM, soft_mask, widened

ANGLES = [0, 20, 45, 70, 90, -35, -80]


@pytest.mark.parametrize("degrees", ANGLES)
def test_the_rectangle_around_its_own_corners_is_itself(degrees):
    line = Line(100, 80, 60, 12, math.radians(degrees))
    again = Line.around(line.corners.astype(np.float32))
    assert (again.x, again.y) == pytest.approx((100, 80), abs=1e-2)
    assert (again.length, again.height) == pytest.approx((60, 12), abs=1e-2)
    assert math.cos(2 * (again.angle - line.angle)) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("degrees", ANGLES)
@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_what_is_cut_out_is_what_was_written(degrees, turns):
    """A bright first quarter of the line, found again in the strip, whichever way it was turned."""
    line = Line(128, 128, 120, 40, math.radians(degrees))
    image = np.zeros((256, 256), np.uint8)
    a, b, c, d = line.corners
    quarter = np.stack([a, a + (b - a) / 4, d + (c - d) / 4, d])
    cv2.fillPoly(image, [np.rint(quarter).astype(np.int32)], 255)
    strip = line.cut_out(image, 40, quarter_turns=turns)
    bright = np.zeros_like(strip)
    rows, columns = strip.shape
    if turns == 0:
        bright[:, : columns // 4] = 255
    elif turns == 1:
        bright[3 * rows // 4 :] = 255
    elif turns == 2:
        bright[:, 3 * columns // 4 :] = 255
    else:
        bright[: rows // 4] = 255
    assert (np.abs(strip.astype(int) - bright) > 128).mean() < 0.06


def test_shares_and_distances():
    one, other = Line(50, 50, 40, 10, 0), Line(70, 50, 40, 10, 0)
    assert one.share_inside(other) == pytest.approx(0.5, abs=0.01)
    assert one.distance(other) == 0
    assert one.distance(Line(50, 80, 40, 10, 0)) == pytest.approx(20, abs=0.5)
    assert one.scaled(2).length == 80
    assert one.moved(3, 4).box((100, 100)) == (33, 49, 73, 59)


@pytest.mark.parametrize("degrees", ANGLES)
def test_the_mask_is_solid_over_the_line_soft_at_the_rim_and_zero_beyond(degrees):
    line = Line(128, 128, 90, 16, math.radians(degrees))
    mask = soft_mask([line], (256, 256))
    text, reach = np.zeros((2, 256, 256), np.uint8)
    line.paint(text)
    widened(line).grown(RIM + 2, RIM + 2).paint(reach)
    assert (mask[text > 0] == 1).all()
    assert (mask[reach == 0] == 0).all()
    rim = (mask > 0) & (mask < 1)
    assert 0.05 < rim.sum() / (mask > 0).sum() < 0.5
    assert (soft_mask([line], (256, 256), harder=2) >= mask).all()
    assert not soft_mask([], (32, 32)).any()
