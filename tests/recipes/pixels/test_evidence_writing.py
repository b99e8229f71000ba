"""Type written for the evidence network: where it is, and which lines count as type."""

from __future__ import annotations

import numpy as np
import pytest

from medveil.defenses.pixels.lines import Line
from recipes.pixels.evidence_writing import LETTER, TYPE, Gray, Truth, write_type


@pytest.fixture
def film() -> Gray:
    down, across = np.mgrid[0:400, 0:500]
    return (90 + 60 * np.sin(down / 70) * np.cos(across / 50)).astype(np.uint8)


def test_pixels_change_only_where_type_was_written(film: Gray) -> None:
    differing = 0
    for seed in range(8):
        before = film.copy()
        written, truth = write_type(film, np.random.default_rng(seed), ["default"])
        assert (film == before).all()
        assert written.shape == film.shape
        assert truth.pieces.max() < len(truth.heights)
        assert ((truth.pieces > 0) == (truth.kinds == TYPE)).all()
        far = np.abs(written.astype(int) - film)[truth.kinds == 0]
        differing += int((far > 40).sum())  # the store's losses and the rims of plates reach beyond
        assert (written != film)[truth.kinds > 0].any()
    assert differing < 0.01 * 8 * film.size


def test_the_same_seed_writes_the_same_and_another_does_not(film: Gray) -> None:
    one, again, other = (write_type(film, np.random.default_rng(seed), ["default"])[0] for seed in (3, 3, 4))
    assert (one == again).all()
    assert (one != other).any()


def truth_with(kind: int) -> Truth:
    """A piece 100 pixels long and 20 high."""
    truth = Truth.empty((200, 300))
    truth.kinds[90:110, 100:200] = kind
    truth.pieces[90:110, 100:200] = kind == TYPE
    truth.heights.append(20.0)
    return truth


@pytest.mark.parametrize(
    ("line", "label"),
    [
        (Line(150, 100, 104, 24, 0.0), True),
        (Line(50, 30, 60, 20, 0.0), False),
        (Line(150, 100, 45, 20, 0.0), True),  # a word of it
        (Line(150, 100, 25, 20, 0.0), None),  # a letter or so
        (Line(150, 100, 200, 80, 0.0), None),  # far too large
        (Line(150, 100, 100, 8, 0.0), None),  # half the height
        (Line(90, 100, 40, 20, 0.0), None),  # its end
    ],
)
def test_a_line_that_fits_is_type_and_one_that_touches_it_is_nothing(line: Line, label: bool | None) -> None:
    assert truth_with(TYPE).is_type(line) is label


def test_a_letter_alone_is_neither() -> None:
    assert truth_with(LETTER).is_type(Line(150, 100, 104, 24, 0.0)) is None
