from __future__ import annotations

import numpy as np
import pytest

from recipes.lungs.card import scores


def test_the_worst_tenth_is_a_mean_of_the_lowest() -> None:
    dice = np.linspace(0.5, 0.99, 50)
    found = scores(dice, np.array([str(number // 2) for number in range(50)]))
    assert found["Dice"]["value"] == pytest.approx(dice.mean())
    assert found["Dice, worst tenth of the films"]["value"] == pytest.approx(dice[:5].mean())
    assert found["Dice"]["patients"] == 25
    assert all(one["low"] <= one["value"] <= one["high"] for one in found.values())
