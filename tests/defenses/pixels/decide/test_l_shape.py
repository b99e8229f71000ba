"""An L of lead, as it fell."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from medveil.defenses.pixels.decide.l_shape import is_l_shape


def drawn(*points: tuple[int, int], thick: int = 8) -> np.ndarray:
    mark = np.zeros((90, 90), np.uint8)
    cv2.polylines(mark, [np.array(points, np.int32)], False, 1, thick)
    return mark


def turned(mark: np.ndarray, degrees: float) -> np.ndarray:
    turn = cv2.getRotationMatrix2D((45, 45), degrees, 0.8)
    mark = cv2.warpAffine(mark, turn, (90, 90))
    x, y, width, height = cv2.boundingRect(mark)
    return mark[y : y + height, x : x + width] > 0


@pytest.mark.parametrize("degrees", [0, 20, 45, 90, 200, 315])
@pytest.mark.parametrize("mirrored", [False, True])
def test_an_l_is_one_however_it_lies(degrees: float, mirrored: bool) -> None:
    mark = drawn((30, 20), (30, 70), (60, 70))
    assert is_l_shape(turned(mark[:, ::-1].copy() if mirrored else mark, degrees))


@pytest.mark.parametrize(
    "points",
    [
        ((20, 20), (20, 70)),  # a bar
        ((20, 20), (70, 20), (70, 70), (20, 70), (20, 20)),  # a frame
        ((20, 20), (20, 70), (60, 70), (60, 20)),  # a U
        ((20, 20), (45, 70), (70, 20)),  # a V
        ((45, 20), (45, 70), (20, 20), (70, 20)),  # a T
    ],
)
def test_other_marks_are_none(points: tuple[tuple[int, int], ...]) -> None:
    assert not is_l_shape(turned(drawn(*points), 10))
