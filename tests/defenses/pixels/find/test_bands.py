"""Rows of lines that were drawn too high."""

from __future__ import annotations

import math

import pytest

from medveil.defenses.pixels.find.bands import LOWEST, bands_of
from medveil.defenses.pixels.lines import Line


@pytest.mark.parametrize("angle", [0.0, 0.4, math.pi / 2])
def test_rows_lie_in_the_line_from_one_side_to_the_other(angle: float) -> None:
    line = Line(200, 150, 180, 48, angle)
    bands = bands_of(line)
    assert len(bands) == 11
    for band in bands:
        assert band.share_inside(line.grown(1, 1)) > 0.99
        assert band.length == line.length and band.height < line.height
    for edge in (line.corners[:2], line.corners[2:]):
        assert min(abs(band.corners - corner).sum(axis=1).min() for band in bands for corner in edge) < 1e-6


def test_rows_are_no_lower_than_print_and_short_lines_have_none() -> None:
    assert all(band.height >= LOWEST for band in bands_of(Line(50, 50, 60, 11, 0.0)))
    assert bands_of(Line(50, 50, 60, 8, 0.0)) == []
    assert bands_of(Line(50, 50, 60, 48, 0.0)) == []
