"""Learning rates rise and fall as they should, and the finder stops in time."""

from __future__ import annotations

import numpy as np
import pytest

from medveil.training.schedule import falling, find_peak, one_cycle, warm_cosine


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


def test_a_warm_start_then_a_cosine_to_nothing() -> None:
    assert warm_cosine(0, 0.0, 0.5, warm=10) == pytest.approx(0.05)
    assert warm_cosine(9, 0.0, 0.5, warm=10) == pytest.approx(0.5)
    assert warm_cosine(50, 0.5, 0.5, warm=10) == pytest.approx(0.25)
    assert warm_cosine(50, 1.2, 0.5, warm=10) == pytest.approx(0.0)


def test_a_rate_that_stays_and_then_falls() -> None:
    assert [falling(share, 2.0, start=0.5) for share in (0.0, 0.5, 0.75, 1.0)] == [2.0, 2.0, 1.0, 0.0]
    assert falling(0.99, 2.0, start=1) == 2.0
