"""Learning rates rise and fall as they should, and the finder stops in time."""

from __future__ import annotations

import numpy as np
import pytest

from medveil.training.schedule import find_peak, one_cycle


def test_one_cycle_rises_then_falls() -> None:
    rates = [one_cycle(step, 100, 0.5, rise=0.3) for step in range(100)]
    assert np.argmax(rates) == 30
    assert max(rates) == pytest.approx(0.5)
    assert (np.diff(rates[:31]) > 0).all()
    assert (np.diff(rates[30:]) < 0).all()
    assert rates[-1] < 0.01


def test_the_rate_finder_stops_before_the_loss_runs_away() -> None:
    position = 10.0

    def loss_at(rate: float) -> float:
        nonlocal position
        loss = position**2
        position -= rate * 2 * position
        return loss

    # for this loss rates above 1 diverge and rates near 0.5 are best
    assert 1e-3 < find_peak(loss_at, high=10.0) < 1
