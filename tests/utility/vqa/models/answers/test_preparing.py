from __future__ import annotations

import cv2
import numpy as np

from medveil.utility.vqa.models.answers.preparing import as_seen, body


def slice_on_black() -> np.ndarray:
    """A round body in the middle of a wide black margin."""
    picture = np.zeros((400, 600), np.uint8)
    cv2.ellipse(picture, (300, 200), (120, 90), 0, 0, 360, 140, -1)
    cv2.circle(picture, (340, 200), 20, 250, -1)
    return picture


def test_the_margin_goes_and_the_shape_stays() -> None:
    top, bottom, left, right = body(slice_on_black())
    assert abs(top - 110) < 30 and abs(bottom - 290) < 30 and abs(left - 180) < 30 and abs(right - 420) < 30
    seen = as_seen(slice_on_black())
    assert seen.shape == (256, 256) and seen.dtype == np.uint8
    wide, high = np.ptp(np.flatnonzero((seen > 60).any(0))), np.ptp(np.flatnonzero((seen > 60).any(1)))
    assert 1.2 < wide / high < 1.5


def test_burned_in_text_does_not_move_what_is_seen() -> None:
    written = slice_on_black()
    cv2.putText(written, "HARTWELL 1951", (5, 30), cv2.FONT_HERSHEY_SIMPLEX, 0.7, 255, 2)
    cv2.line(written, (590, 40), (590, 360), 255, 2)
    assert body(written) == body(slice_on_black())


def test_colour_size_and_emptiness_are_taken_as_they_come() -> None:
    colour = np.stack([slice_on_black()] * 3, -1)
    assert np.abs(as_seen(colour).astype(int) - as_seen(slice_on_black())).max() <= 1
    for shape in ((1, 1), (3, 900), (300, 20), (64, 64, 3)):
        assert as_seen(np.zeros(shape, np.uint8)).shape == (256, 256)
        assert as_seen(np.full(shape, 255, np.uint8)).shape == (256, 256)
